"""Read and count ratings of several raters. Only this subpackage accesses individual ratings."""
