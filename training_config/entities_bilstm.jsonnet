// Tag named entities with PyTorch's BiLSTM over pretrained vectors and a frozen BERT, to compare with
// entities_slstm.
