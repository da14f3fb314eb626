// Reviews with BERT's features in the place of word vectors, trained as the re-implementation report has
// it: Adam, dropout of 0.2 before and after the encoder, 20 epochs, the best on dev.
// `encoder` makes a Seq2VecEncoder, given the size of the features.
local mtl = import 'mtl.libsonnet';

function(encoder) mtl(null) {
  // Another BERT by a config of two lines, from which all sizes below follow:
  //   (import 'training_config/mtl_bert_slstm.jsonnet')
  //   + { bert+:: { name: '/data/bert-large-uncased', size: 1024 } }
  bert:: {
    name: 'bert-base-uncased',  // a folder, or a name on the hub
    size: 768,
    max_length: 512,  // word pieces; longer texts go through BERT in parts
  },

  dataset_reader+: {
    token_indexers: {
      tokens: {
        type: 'pretrained_transformer_mismatched',
        model_name: $.bert.name,
        max_length: $.bert.max_length,
      },
    },
  },

  model+: {
    namespace: 'tags',  // where that indexer puts BERT's vocabulary
    text_field_embedder: {
      token_embedders: {
        tokens: {
          type: 'pretrained_transformer_mismatched',
          model_name: $.bert.name,
          max_length: $.bert.max_length,
          train_parameters: false,  // true tunes BERT, too
          eval_mode: null,  // BERT's own dropout only where it is tuned
        },
      },
    },
    seq2seq_encoder+: { input_dim: $.bert.size, dropout: 0.2 },
    seq2vec_encoder: encoder($.bert.size),
    dropout: 0.2,
  },

  trainer+: {
    optimizer: {
      type: 'adam',
      lr: 1e-3,
      // BERT's, where it is tuned. While it is frozen, AllenNLP warns that this matches nothing.
      parameter_groups: [[['text_field_embedder'], { lr: 2e-5 }]],
    },
    learning_rate_scheduler: null,
    num_epochs: 20,
    patience: null,
  },
}
