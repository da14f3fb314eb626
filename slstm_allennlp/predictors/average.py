from typing import Any, List, Optional

from allennlp.common.checks import ConfigurationError
from allennlp.common.util import JsonDict
from allennlp.data import DatasetReader, Instance
from allennlp.models import Model, load_archive
from allennlp.predictors import Predictor

from slstm_allennlp.predictors.text_input import TextInput, predictor_of


@Predictor.register("average")
class Average(TextInput):
    """
    Classify texts or pairs by the mean of the probabilities of several models, such as a recipe and a
    fine-tuned BERT:

        slstm predict output/recipe/model.tar.gz texts.txt --predictor average \\
          --predictor-args '{"archives": ["output/bert/model.tar.gz"]}'

    The input is that of the first model's predictor, and so are the keys of the output: `label`, `gold`,
    `correct`, `probabilities`, `words`. If a model finds no words in a text, the label is `null`.

    `ConfigurationError` for models that are no classifiers, of different inputs or classes, and for
    instances of a dataset reader, which are the first model's alone.

    # Parameters

    model : `Model`
        The first of the models.
    dataset_reader : `DatasetReader`
        Its reader.
    archives : `List[str]`
        Those of the other models.
    """

    def __init__(
        self, model: Model, dataset_reader: DatasetReader, archives: Optional[List[str]] = None
    ) -> None:
        TextInput.__init__(self, model, dataset_reader)
        if not archives or not isinstance(archives, list):
            raise ConfigurationError(
                f"archives is {archives!r}, expected a list of files of other models (--predictor-args "
                """'{"archives": ["other/model.tar.gz"]}')"""
            )
        name = model.default_predictor
        first: Any = Predictor.by_name(name)(model, dataset_reader) if name else None
        self._predictors = [first]
        for path in archives:
            archive = load_archive(path, cuda_device=self.cuda_device)
            other = predictor_of(archive)
            if getattr(first, "answer", None) != "label" or type(other) is not type(first):
                raise ConfigurationError(
                    f"{path} is for {type(other).__name__}, and the first model for "
                    f"{type(first).__name__}, expected two classifiers of texts, or two of pairs"
                )
            ours, theirs = (sorted(each.known_labels()) for each in (first, other))
            if ours != theirs:
                raise ConfigurationError(
                    f"{path} has the classes {', '.join(theirs)}, expected those of the first model: "
                    f"{', '.join(ours)}"
                )
            self._predictors.append(other)
        self.expected, self.plain_text = first.expected, first.plain_text
        self.is_plain_with_tabs = first.is_plain_with_tabs

    def of_sentence(self, text: str) -> JsonDict:
        result: JsonDict = self._predictors[0].of_sentence(text)
        return result

    def check_input(self, json_dict: JsonDict) -> None:
        self._predictors[0].check_input(json_dict)

    def gold(self, given: Any) -> Any:
        return self._predictors[0].gold(given)

    def predict_batch_json(self, inputs: List[JsonDict]) -> List[JsonDict]:
        outputs = [predictor.predict_batch_json(inputs) for predictor in self._predictors]
        return [_averaged(*of_input) for of_input in zip(*outputs)]

    def predict_batch_instance(self, instances: List[Instance]) -> List[JsonDict]:
        raise ConfigurationError(
            "the predictor average was given instances of a dataset reader, expected inputs (without "
            "--use-dataset-reader: each model has a reader of its own)"
        )


def _averaged(first: JsonDict, *others: JsonDict) -> JsonDict:
    rows = [output["probabilities"] for output in (first, *others)]
    label, mean = None, {}
    if all(rows):
        mean = {name: sum(row[name] for row in rows) / len(rows) for name in rows[0]}
        label = max(mean, key=mean.__getitem__)
    gold = {"gold": first["gold"], "correct": label == first["gold"]} if "gold" in first else {}
    words = {"words": first["words"]} if "words" in first else {}
    return {"label": label, **gold, "probabilities": mean, **words}
