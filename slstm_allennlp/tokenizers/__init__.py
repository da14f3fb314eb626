from slstm_allennlp.tokenizers.spacy_blank_tokenizer import SpacyBlankTokenizer

__all__ = ["SpacyBlankTokenizer"]
