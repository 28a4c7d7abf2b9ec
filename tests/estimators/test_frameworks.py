"""The examples of the page on frameworks, run if the framework is installed.

Their kappas are compared with scikit-learn's. A framework that is not installed is skipped.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

metrics = pytest.importorskip("sklearn.metrics")

PAGE = Path(__file__).parents[2] / "docs" / "how_to" / "models" / "frameworks.md"
START, *SECTIONS = PAGE.read_text(encoding="utf-8").split("\n## ")
CODE = {
    section.partition("\n")[0]: re.findall(r"^```python\n(.*?)^```$", section, re.M | re.S)
    for section in SECTIONS
}
DATA = re.findall(r"^```python\n(.*?)^```$", START, re.M | re.S)[0]
Names = dict[str, Any]


def kappa(y1: Any, y2: Any) -> float:
    return float(metrics.cohen_kappa_score(y1, y2, labels=range(4), weights="quadratic"))


def check_optuna(names: Names) -> None:
    assert names["study"].best_value == max(trial.value for trial in names["study"].trials) > 0.5


def check_skorch(names: Names) -> None:
    # The net keeps the last fifth of each class for validation.
    net, (_, kept) = names["net"], names["net"].get_split_datasets(names["X"], names["y"])
    truth = [int(label) for _, label in kept]
    assert names["kappas"][-1] == pytest.approx(kappa(truth, net.predict(kept)))


def check_keras(names: Names) -> None:
    predicted = names["model"].predict(names["X_valid"], verbose=0).argmax(axis=1)
    assert names["history"].history["val_kappa"][-1] == pytest.approx(
        kappa(names["y_valid"], predicted)
    )


def check_lightning(names: Names) -> None:
    lightning, torch = names["lightning"], names["torch"]
    parts = torch.from_numpy(names["y_valid"]).split(64)
    flipped = torch.cat([part.flip(0) for part in parts])
    assert names["kappa"] == pytest.approx(kappa(flipped, torch.cat(parts)))
    items, model = torch.utils.data.TensorDataset, names["Model"]()
    train, valid = (
        torch.utils.data.DataLoader(
            items(torch.from_numpy(names[f"X_{part}"]), torch.from_numpy(names[f"y_{part}"])), 64
        )
        for part in ("train", "valid")
    )
    trainer = lightning.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(model, train, valid)
    predicted = model.layer(torch.from_numpy(names["X_valid"])).argmax(1)
    logged = float(trainer.callback_metrics["val_kappa"])
    assert logged == pytest.approx(kappa(names["y_valid"], predicted))


def check_trainer(names: Names) -> None:
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 4)

        def forward(self, inputs: Any, labels: Any) -> Any:
            logits = self.layer(inputs)
            return {"loss": torch.nn.functional.cross_entropy(logits, labels), "logits": logits}

    X, y = names["X_valid"], names["y_valid"]
    items = [{"inputs": torch.from_numpy(x), "labels": int(label)} for x, label in zip(X, y)]
    settings = transformers.TrainingArguments(report_to=[], use_cpu=True, disable_tqdm=True)
    model = Model()
    trainer = transformers.Trainer(
        model, settings, eval_dataset=items, compute_metrics=names["compute_metrics"]
    )
    predicted = model.layer(torch.from_numpy(X)).argmax(1)
    assert trainer.evaluate()["eval_kappa"] == pytest.approx(kappa(y, predicted))


def check_evaluate(names: Names) -> None:
    assert names["result"]["kappa"] == pytest.approx(
        kappa(names["y_valid"], names["y_valid"][::-1])
    )


def check_mlflow(names: Names) -> None:
    logged = names["mlflow"].get_run(names["run"].info.run_id).data.metrics
    assert logged["kappa"] == pytest.approx(kappa(names["y_valid"], names["predicted"]))
    assert logged["kappa_low"] < logged["kappa"] < logged["kappa_high"]


def check_polars(names: Names) -> None:
    frame = names["frame"]
    for center, found in names["kappas"].iter_rows():
        group = frame.filter(frame["center"] == center)
        assert found == pytest.approx(kappa(group["a"], group["b"]))
    assert len(names["kappas"]) == 3


def check_xarray(names: Names) -> None:
    pairs = zip(names["first"].values, names["second"].values, strict=True)
    assert names["kappas"].values == pytest.approx([kappa(*pair) for pair in pairs])


CHECKS: dict[str, Callable[[Names], None]] = {
    "Optuna": check_optuna,
    "skorch": check_skorch,
    "Keras": check_keras,
    "torchmetrics and Lightning": check_lightning,
    "Hugging Face Trainer": check_trainer,
    "Hugging Face evaluate": check_evaluate,
    "MLflow": check_mlflow,
    "polars": check_polars,
    "xarray": check_xarray,
}


@pytest.mark.parametrize("framework", CODE)
def test_examples(framework: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/runs.db")
    names: Names = {}
    exec(DATA, names)
    with warnings.catch_warnings():
        # Frameworks warn about each other's versions.
        warnings.simplefilter("ignore")
        try:
            for code in CODE[framework]:
                exec(code, names)
        except ModuleNotFoundError as error:
            if str(error.name).startswith("fastkappa"):
                raise
            pytest.skip(f"could not import {error.name!r}")
        CHECKS[framework](names)


def test_the_page_is_short() -> None:
    assert len(PAGE.read_text(encoding="utf-8").split()) <= 900
    assert list(CODE) == list(CHECKS)
