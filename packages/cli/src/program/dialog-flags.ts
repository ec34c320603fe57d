import type { Command } from 'commander'
import { withCommonOptions } from '../context/start.js'

/** Adds the options that say where agents and prompts are. */
export const withAgentOptions = (command: Command): Command =>
  withCommonOptions(command)
    .option('-a, --agents <file>', 'TOML with agent_configs or YAML with agents (default: the configuration)')
    .option('-p, --prompts <folder>', 'Markdown prompts (default: "prompts" next to the file of the agents)')
