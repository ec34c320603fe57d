import { type Command, Option } from 'commander'
import { hostFormats } from '../commands/host-formats.js'
import { type Start, withCommonOptions } from '../context/start.js'

/** `modelport hosts`: what a sandbox must allow. */
export function addHosts(program: Command, start: Start): void {
  withCommonOptions(program.command('hosts'))
    .description('list every host that the models contact, as text or in the format of a sandbox')
    .addOption(new Option('-f, --format <format>', 'form of the list').choices(hostFormats).default('list'))
    .option('-m, --model <name...>', 'only these models (default: all of the configuration)')
    .option('--agent <url...>', 'also the hosts of these agents; without a configuration only these')
    .option('--resolve', 'look names up, for the form by address (kubernetes)')
    .action(start(async () => (await import('../commands/hosts.js')).hosts))
}
