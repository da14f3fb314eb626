"""
Measure the recipes by the length of the texts: milliseconds a text in training, and in prediction.

    python benchmarks/recipes.py DATA OUT [--corpora MR apparel books imdb] [--recipes slstm bilstm …]
        [--threads 1 2] [--texts 192]

DATA is a folder of the reviews of Liu et al. (2017), `CORPUS.task.train`. OUT gets a line of JSON for
each recipe. Each is trained for two epochs on the same texts. The first epoch computes BERT's features,
too; "epoch" is the second. Prediction is by batches, as by `allennlp predict`. Run nothing beside it:
compare times of one run only.
"""

import argparse
import itertools
import json
import pathlib
import tempfile
from typing import Any, Dict

from jobs import python, training

HERE = pathlib.Path(__file__).parent
RECIPES = ("slstm", "bilstm", "bilstm_attention", "mean", "bert")


def measure(recipe: str, corpus: str, threads: int, data: pathlib.Path, texts: int) -> Dict[str, Any]:
    """Train and predict in new processes."""
    overrides = {
        "dataset_reader.dataset": corpus,
        "dataset_reader.max_instances": texts,
        "train_data_path": f"{data}#train",
        "trainer.callbacks": None if recipe == "bert" else [{"type": "fit_linear"}],  # none for dev
    }
    lines = (data / f"{corpus}.task.test").read_text("latin-1").strip().split("\n")  # as the reader
    lines = [line.split("\t", 1)[1] for line in lines[: texts // 4 + 20]]
    with tempfile.TemporaryDirectory() as parent:
        run, sentences = pathlib.Path(parent) / "run", pathlib.Path(parent) / "sentences.jsonl"
        environment = {
            "OMP_NUM_THREADS": str(threads),
            "SLSTM_ALLENNLP_CACHE": str(run.parent / "cache"),  # BERT's features are not kept
        }
        sentences.write_text("".join(json.dumps({"sentence": line}) + "\n" for line in lines))
        config = HERE.parent / "training_config" / f"reviews_{recipe}.jsonnet"
        first, second = training(run, str(config), overrides, recipe, epochs=2, **environment)
        predict = [str(HERE / "jobs.py"), "--predict", str(run / "model.tar.gz"), str(sentences)]
        rate = float(python(*predict, **environment))
    found = {"first epoch": 1000 * first / texts, "epoch": 1000 * second / texts}
    return {"recipe": recipe, "corpus": corpus, "threads": threads, **found, "prediction": 1000 / rate}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--corpora", nargs="+", default=["MR", "apparel", "books", "imdb"])
    parser.add_argument("--recipes", nargs="+", default=RECIPES, choices=RECIPES)
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--texts", type=int, default=192)
    arguments = parser.parse_args()
    wanted = itertools.product(arguments.threads, arguments.corpora, arguments.recipes)
    for threads, corpus, recipe in wanted:
        row = measure(recipe, corpus, threads, arguments.data, arguments.texts)
        with arguments.out.open("a") as file:
            print(json.dumps(row), file=file)
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
