"""The command `slstm`: AllenNLP's commands with the plugin loaded and a short console output."""

from slstm_allennlp.console.quiet import stay_quiet_in_a_child

stay_quiet_in_a_child()
