"""One report page of one or several runs: a single file, both languages, no network and no script."""
