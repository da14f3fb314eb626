"""
Comparison of systems, each trained with several seeds. `plan` says which runs there are, `folders` where
their files are. `runner` starts a `worker` process for each run. `evaluation` measures a trained run,
`significance` tests differences. `results`, `figures`, `document` and `report` write the report. The
command is `slstm_allennlp/comparison/command.py`.
"""
