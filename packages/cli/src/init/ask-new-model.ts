import { autocomplete, isCancel, password, select, text } from '@clack/prompts'
import {
  createProviderTable,
  findRow,
  keyVariables,
  listModels,
  type ProviderRow,
  parseModel,
  resolveModel,
} from '@modelport/factory'
import { type Cli, readVariable } from '../context/cli.js'
import { Interrupted } from '../errors/exit-codes.js'
import { withProgress } from '../terminal/progress.js'
import { toTerminalText } from '../terminal/terminal-text.js'
import { cloudAnswer, cloudsWith, type GivenAnswers, type NewModel } from './new-model.js'
import { findRunning } from './running-servers.js'

/** Asks for everything that no option gives. Rejects {@link Interrupted} when the user gives up. */
export async function askNewModel(
  cli: Cli,
  given: GivenAnswers,
  name: string,
  ownVariable: string,
): Promise<NewModel> {
  const provider = given.provider ?? (await askProvider(cli))
  const { provider: rowName, model: named } = parseModel(provider)
  const row = findRow(rowName)
  const baseUrl = given.baseUrl ?? (await askBaseUrl(cli, row))
  const answer = await askCloud(cli, row, given)
  const clouds = answer === undefined ? {} : cloudsWith(row, answer)
  const place = { ...(baseUrl !== undefined && { baseUrl }), clouds }
  const key = await askKey(cli, row, given, place, ownVariable)
  const address = {
    provider: row.name,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(key.apiKeyEnv !== undefined && { apiKeyEnv: key.apiKeyEnv }),
  }
  const withKey = { ...address, ...clouds, ...(key.key !== undefined && { apiKey: key.key }) }
  const model = given.model ?? named ?? (await askModel(cli, row, withKey))
  return { name: given.name ?? name, model, ...address, clouds, ...key }
}

/** What the user chose or typed. @throws {Interrupted} the user pressed Ctrl-C */
async function answered<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await question
  if (isCancel(answer)) throw new Interrupted('interrupted')
  return answer as Exclude<T, symbol>
}

const streams = ({ io }: Cli): { input: Cli['io']['stdin']; output: Cli['io']['stdout'] } => ({
  input: io.stdin,
  output: io.stdout,
})

/** Providers that can be set up with a few questions. */
const offered = (): ProviderRow[] =>
  [...new Set(createProviderTable().values())].filter(
    ({ offline, retired, baseUrl, question }) =>
      !offline && !retired && (typeof baseUrl !== 'function' || question),
  )

async function askProvider(cli: Cli): Promise<string> {
  const rows = offered()
  const running = await findRunning(rows, cli.signal)
  const hintOf = ({ name, keyEnv }: ProviderRow): string | undefined => {
    const variable = keyEnv.find((one) => readVariable(cli, one) !== undefined)
    return variable === undefined
      ? running.has(name)
        ? 'running here'
        : undefined
      : `key in ${variable}`
  }
  const options = rows.map((row) => {
    const hint = hintOf(row)
    return { value: row.name, label: row.name, ...(hint !== undefined && { hint }) }
  })
  const likely = options.find(({ hint }) => hint !== undefined)?.value ?? options[0]?.value ?? ''
  return answered(
    autocomplete({
      message: 'Which provider? Type to search',
      options,
      initialValue: likely,
      maxItems: 8,
      ...streams(cli),
    }),
  )
}

async function askBaseUrl(
  cli: Cli,
  { name, baseUrl, selfHosted, question }: ProviderRow,
): Promise<string | undefined> {
  if ((typeof baseUrl === 'string' && !selfHosted) || question) return undefined
  const usual = typeof baseUrl === 'string' ? baseUrl : undefined
  const given = await answered(
    text({
      message: `Address of ${name}?`,
      placeholder: usual ?? 'http://localhost:8080/v1',
      ...(usual !== undefined && { defaultValue: usual }),
      validate: (value) =>
        (usual !== undefined && !value?.trim()) || /^https?:\/\/[^\s/@]+/i.test(value?.trim() ?? '')
          ? undefined
          : 'Write it like http://localhost:8080/v1, without a password',
      ...streams(cli),
    }),
  )
  return given.trim() === usual ? undefined : given.trim()
}

/**
 * Asks the question of the row, if it has one, unless an option answers it or names the address.
 */
async function askCloud(
  cli: Cli,
  row: ProviderRow,
  given: GivenAnswers,
): Promise<string | undefined> {
  const usual = cloudAnswer(cli, row, given)
  const { question } = row
  if (!question || given.region !== undefined || given.baseUrl !== undefined) return usual
  const { message, example, pattern } = question
  const answer = await answered(
    text({
      message,
      ...(usual === undefined ? { placeholder: example } : { initialValue: usual }),
      validate: (value) =>
        pattern.test(value?.trim() ?? '') ? undefined : `Write it like ${example}`,
      ...streams(cli),
    }),
  )
  return answer.trim()
}

type KeyAnswer = Pick<NewModel, 'apiKeyEnv' | 'key' | 'saveKey'>

/**
 * Takes the key of a variable that may go to this address; asks for one otherwise, and keeps it
 * under a name of this model alone.
 */
async function askKey(
  cli: Cli,
  row: ProviderRow,
  given: GivenAnswers,
  { clouds, ...place }: Pick<NewModel, 'baseUrl' | 'clouds'>,
  ownVariable: string,
): Promise<KeyAnswer> {
  if (given.key !== undefined)
    return {
      key: given.key,
      saveKey: given.saveKey ?? true,
      apiKeyEnv: given.apiKeyEnv ?? ownVariable,
    }
  const { apiKeyEnv } = given
  const model = resolveModel(
    { provider: row.name, ...place, ...clouds, ...(apiKeyEnv !== undefined && { apiKeyEnv }) },
    cli.context,
  )
  const usable = keyVariables(model, cli.context)
  const found = usable.find((one) => readVariable(cli, one) !== undefined)
  if (found !== undefined) return { apiKeyEnv: found }
  if (!row.keyEnv.length && apiKeyEnv === undefined) return {}
  const optional = !row.needsKey
  const typed = await answered(
    password({
      message: `Key of ${row.name}${optional ? ', if it needs one' : row.keyUrl ? ` (get one: ${row.keyUrl})` : ''}`,
      validate: (value) => (optional || value?.trim() ? undefined : 'A key is needed'),
      ...streams(cli),
    }),
  )
  // Nothing typed is nothing at all.
  const key = (typed as string | undefined)?.trim() ?? ''
  if (!key) return {}
  const unsaved = usable[0] ?? ownVariable
  const saveKey = await answered(
    select({
      message: 'Where to keep the key?',
      options: [
        { value: true, label: `in ${cli.locations.keys}`, hint: 'readable by you alone' },
        { value: false, label: `nowhere: I will set ${unsaved} myself` },
      ],
      showInstructions: false,
      ...streams(cli),
    }),
  )
  return { key, saveKey, apiKeyEnv: apiKeyEnv ?? (saveKey ? ownVariable : unsaved) }
}

/** Offers the models of the vendor or server; asks for a name if it cannot list them. */
async function askModel(
  cli: Cli,
  row: ProviderRow,
  config: Parameters<typeof listModels>[0],
): Promise<string> {
  const ids: string[] = await withProgress(cli.out, 'asking for its models', () =>
    listModels(config, cli.context, { signal: cli.signal, deadlineMs: 5000 }),
  ).then(
    (models) => models.map(({ id }) => id).filter((id) => toTerminalText(id) === id),
    () => [],
  )
  cli.signal.throwIfAborted()
  const usual = row.model
  if (!ids.length) {
    return (
      await answered(
        text({
          message: 'Which model?',
          ...(usual !== undefined && { initialValue: usual }),
          validate: (value) => (value?.trim() ? undefined : 'Give its name'),
          ...streams(cli),
        }),
      )
    ).trim()
  }
  const sorted: string[] =
    usual !== undefined && ids.includes(usual) ? [usual, ...ids.filter((id) => id !== usual)] : ids
  const options = sorted.map((value) => ({ value, label: value }))
  return answered(
    autocomplete<string>({
      message: 'Which model? Type to search',
      options,
      maxItems: 8,
      ...streams(cli),
    }),
  )
}
