from slstm_allennlp.metrics.token_bleu import TokenBleu
