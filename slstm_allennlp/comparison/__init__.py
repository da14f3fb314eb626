"""
A comparison of systems, each trained with several seeds: the plan of its runs (`plan`), the folder in
which they lie (`folders`), running them (`runner`, which starts a `worker` for each), what is measured
(`evaluation`, `predictions`), whether a difference means something (`counts`, `significance`), and the
report (`results`, `figures`, `document`, `report`). `slstm_allennlp/commands/compare.py` is the
command.
"""
