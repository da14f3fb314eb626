"""Top-level keys of a config for `allennlp train`."""

DATA_KEYS = ("train_data_path", "validation_data_path", "test_data_path")
SEED_KEYS = ("random_seed", "numpy_seed", "pytorch_seed")
