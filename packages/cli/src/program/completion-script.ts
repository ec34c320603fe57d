import type { Command, Option } from 'commander'

/** Shells a script can be made for. */
export const shells = ['bash', 'zsh', 'fish'] as const

/** One of {@link shells}. */
export type Shell = (typeof shells)[number]

interface Completed {
  readonly name: string
  readonly description: string
  readonly flags: readonly {
    readonly names: readonly string[]
    readonly description: string
    readonly values: readonly string[]
    readonly takesFile: boolean
  }[]
  readonly values: readonly string[]
}

/** A script that completes the program's commands, their options and the values of these, made of their definitions. */
export function completionScript(program: Command, shell: Shell): string {
  const name = program.name()
  const commands = program.commands.map(toCompleted)
  return { bash: toBash, zsh: toZsh, fish: toFish }[shell](name, commands)
}

function toCompleted(command: Command): Completed {
  return {
    name: command.name(),
    description: command.description(),
    values: [
      ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
      ...command.commands.map((nested) => nested.name()),
    ],
    flags: [
      ...[...new Map(optionsOf(command).map((option) => [option.flags, option])).values()].map(toFlag),
      { names: ['--help', '-h'], description: 'display help for command', values: [], takesFile: false },
    ],
  }
}

/** The options of a command and of the commands inside it. */
const optionsOf = (command: Command): Option[] => [...command.options, ...command.commands.flatMap(optionsOf)]

const toFlag = (option: Option): Completed['flags'][number] => ({
  names: [option.long, option.short].filter((name) => name !== undefined),
  description: option.description,
  values: option.argChoices ?? [],
  takesFile: /<(file|folder)>/.test(option.flags),
})

function toBash(name: string, commands: readonly Completed[]): string {
  const flags = commands.flatMap((command) =>
    command.flags.map((flag) => ({ ...flag, cases: flag.names.map((one) => `${command.name}:${one}`) })),
  )
  const files = flags.flatMap(({ cases, takesFile }) => (takesFile ? cases : []))
  return [
    `_${name}() {`,
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" command="${COMP_WORDS[1]}"',
    `  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${commands.map((command) => command.name).join(' ')}" -- "$current")); return; fi`,
    '  case "$command:$previous" in',
    ...flags
      .filter(({ values }) => values.length)
      .map(
        ({ cases, values }) =>
          `    ${cases.join('|')}) COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$current")); return ;;`,
      ),
    ...(files.length ? [`    ${files.join('|')}) COMPREPLY=($(compgen -f -- "$current")); return ;;`] : []),
    '  esac',
    '  case "$command" in',
    ...commands.map(
      (command) =>
        `    ${command.name}) COMPREPLY=($(compgen -W "${[...command.values, ...command.flags.flatMap((flag) => flag.names)].join(' ')}" -- "$current")) ;;`,
    ),
    '  esac',
    '}',
    `complete -o default -F _${name} ${name}`,
    '',
  ].join('\n')
}

function toZsh(name: string, commands: readonly Completed[]): string {
  const quote = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&').replaceAll(`'`, `'\\''`)
  const argument = ({ values, takesFile }: Completed['flags'][number]): string =>
    values.length ? `:value:(${values.join(' ')})` : takesFile ? ':file:_files' : ''
  return [
    `#compdef ${name}`,
    `_${name}() {`,
    '  local -a commands',
    `  commands=(${commands.map((command) => `'${quote(command.name)}:${quote(command.description)}'`).join(' ')})`,
    `  if (( CURRENT == 2 )); then _describe command commands; return; fi`,
    '  local command="$words[2]"',
    '  shift words; (( CURRENT-- ))',
    '  case "$command" in',
    ...commands.map((command) => {
      const flags = command.flags.flatMap((flag) =>
        flag.names.map((one) => `'${one}[${quote(flag.description)}]${argument(flag)}'`),
      )
      const rest = command.values.length ? `'*:value:(${command.values.join(' ')})'` : `'*:file:_files'`
      return `    ${command.name}) _arguments ${[...flags, rest].join(' ')} ;;`
    }),
    '  esac',
    '}',
    // Sourced, or loaded as a function of the completion system.
    `if [ "$funcstack[1]" = "_${name}" ]; then _${name} "$@"; else compdef _${name} ${name}; fi`,
    '',
  ].join('\n')
}

function toFish(name: string, commands: readonly Completed[]): string {
  const quote = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
  const lines = commands.flatMap((command) => {
    const within = `complete -c ${name} -n '__fish_seen_subcommand_from ${command.name}'`
    return [
      `complete -c ${name} -n __fish_use_subcommand -f -a ${command.name} -d ${quote(command.description)}`,
      ...(command.values.length ? [`${within} -f -a ${quote(command.values.join(' '))}`] : []),
      ...command.flags.map(({ names, description, values, takesFile }) => {
        const spelt = names.map((one) => (one.startsWith('--') ? `-l ${one.slice(2)}` : `-s ${one.slice(1)}`)).join(' ')
        return `${within} ${spelt} -d ${quote(description)}${values.length ? ` -x -a ${quote(values.join(' '))}` : takesFile ? ' -r' : ''}`
      }),
    ]
  })
  return `${lines.join('\n')}\n`
}
