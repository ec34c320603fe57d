import { type Command, Option } from 'commander'
import { type Start, withBaseUrlOption, withCommonOptions } from '../context/start.js'
import { stepIds } from '../doctor/doctor-step.js'
import { toSeconds } from './numbers.js'

/** `modelport doctor`: what works, what does not, and what to do about it. */
export function addDoctor(program: Command, start: Start): void {
  withBaseUrlOption(withCommonOptions(program.command('doctor')))
    .description('check each model from its configuration to a reply, and say what to do about what fails')
    .option('-m, --model <name...>', 'only these models, or provider:model (default: all of the configuration)')
    .addOption(
      new Option('--until <step>', 'last step; those after "tls" cost a few tokens').choices(stepIds).default('schema'),
    )
    .option('--timeout <seconds>', 'time limit of each step, in seconds', toSeconds, 30)
    .action(start(async () => (await import('../commands/doctor.js')).doctor))
}
