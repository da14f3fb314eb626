"""`python -m slstm_allennlp.console`, the same as `slstm`."""

from slstm_cli import run

if __name__ == "__main__":
    run()
