# make demo, make test: each makes what it needs, in a virtual environment of the project.
PYTHON ?= python3
VENV ?= .venv
python := $(VENV)/bin/python
# Most modules of the libraries are never imported: those that are get compiled when they are.
install := $(python) -m pip install --quiet --no-compile
pytest := $(python) -m pytest -n auto --dist worksteal
sphinx = $(python) -m sphinx --doctree-dir docs/_build/doctrees --fail-on-warning --keep-going --nitpicky --quiet --jobs auto
# What an installation is made of, and where its version is; other Python files are read where they are.
sources := pyproject.toml setup.py fastkappa/__init__.py $(shell find fastkappa -name "*.pyx" -o -name "*.pxd" -o -name "*.h")

.PHONY: demo test test-slow test-all libraries coverage lint docs docs-links sanitize fuzz endurance neon cross bench bench-quick wheel clean

demo: $(VENV)/demo.made
	$(python) ci/demo.py

# The tests keep all cores busy: more threads of linear algebra would only wait for each other,
# and small regressions took ten times the processor's time.
test test-slow coverage: export OPENBLAS_NUM_THREADS = 1

test: $(VENV)/test.made
	$(pytest) -m "not slow"
	$(python) ci/sklearn_own_tests.py

# What `make test` leaves out, with every library.
test-slow: $(VENV)/libraries.made
	$(pytest) -m slow

test-all: $(VENV)/libraries.made
	$(MAKE) test
	$(MAKE) test-slow

# Spark and PyTorch, which few tests need, take as long to install as all others.
libraries: $(VENV)/libraries.made

# Which lines of Python the tests enter; those that only another process or compiled code enters count as missed.
coverage: $(VENV)/libraries.made
	$(install) --group coverage
	$(pytest) -m "not slow" tests --cov fastkappa --cov-report term --cov-report html:build/coverage

lint: $(VENV)/lint.made
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	$(python) -m mypy
	$(python) ci/docs_types.py

# The site, in docs/_build. Links within it must lead somewhere, and guides and reference to each other.
docs: $(VENV)/docs.made
	rm -rf docs/reference/generated
	$(sphinx) --builder html docs docs/_build/html
	$(python) ci/docs_links.py

# The links to elsewhere, where there is a network.
docs-links: $(VENV)/docs.made
	$(sphinx) --builder linkcheck docs docs/_build/links

sanitize: $(VENV)/test.made
	ci/sanitize $(python)

# A minute; FUZZ_SECONDS=600 is what runs at night.
fuzz: $(VENV)/test.made
	ci/fuzz $(python)

endurance: $(VENV)/test.made
	$(python) ci/endurance.py

neon:
	ci/neon

# The C kernels for systems and compilers of others.
cross:
	ci/cross_compile $(PYTHON)

bench: $(VENV)/bench.made
	$(python) -m bench --readme

bench-quick: $(VENV)/bench.made
	$(python) -m bench --quick

wheel: $(VENV)/pip.made
	$(install) build
	FASTKAPPA_REQUIRE_EXTENSION=1 $(python) -m build

clean:
	rm -rf $(VENV) build dist *.egg-info docs/_build docs/reference/generated
	find fastkappa -name '*.so' -delete

# Groups of dependencies need pip 25.1, and Python brings an older one.
$(VENV)/pip.made:
	$(PYTHON) -m venv $(VENV)
	$(install) --upgrade 'pip>=25.1'
	touch $@

# The kernels are compiled once; extras and groups add their libraries alone.
$(VENV)/built.made: $(VENV)/pip.made $(sources)
	$(install) --editable .
	touch $@

$(VENV)/demo.made: $(VENV)/built.made
	$(install) 'fastkappa[cli,sklearn]'
	touch $@

$(VENV)/docs.made: $(VENV)/built.made
	$(install) --group docs
	touch $@

$(VENV)/bench.made: $(VENV)/built.made ci/install_torch.py
	$(install) --group bench
	$(python) ci/install_torch.py torchmetrics
	touch $@

$(VENV)/test.made: $(VENV)/built.made ci/install_peers.py
	$(install) --group test
	$(python) ci/install_peers.py
	touch $@

$(VENV)/libraries.made: $(VENV)/test.made ci/install_torch.py
	$(install) --group libraries
	$(python) ci/install_torch.py
	touch $@

$(VENV)/lint.made: $(VENV)/test.made
	$(install) --group lint
	touch $@
