"""`python -m orchestrator` is the same as `mabuild`."""

from orchestrator.cli import main

if __name__ == "__main__":
    main()
