/** One call that a task needs, and what the model looks for in its result. */
export interface Action {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** The entry whose value the model has to report. */
  readonly entry: string
}

/** A task for the model. */
export interface Task {
  readonly name: string
  readonly actions: readonly Action[]
}

/** Characters of each result. */
const resultLength = 20_000

/**
 * Tools of each task, one a call: one to three different ones, four to seven calls and a final
 * reply.
 */
const calls: readonly (readonly string[])[] = [
  ['list_invoices', 'search_customers', 'list_invoices', 'search_customers'],
  [
    'export_shipments',
    'export_shipments',
    'export_shipments',
    'export_shipments',
    'export_shipments',
  ],
  ['list_tickets', 'audit_incidents', 'search_deployments', 'audit_incidents', 'list_tickets'],
  [
    'search_documents',
    'search_documents',
    'list_contracts',
    'list_contracts',
    'search_documents',
    'list_contracts',
  ],
  [
    'list_builds',
    'audit_repositories',
    'list_builds',
    'audit_repositories',
    'list_builds',
    'list_builds',
    'list_builds',
  ],
  ['list_leads', 'list_leads', 'export_campaigns', 'export_campaigns'],
  [
    'search_payments',
    'list_suppliers',
    'audit_purchase_orders',
    'search_payments',
    'list_suppliers',
    'search_payments',
  ],
  [
    'list_warehouses',
    'list_warehouses',
    'list_warehouses',
    'list_warehouses',
    'list_warehouses',
    'list_warehouses',
  ],
  [
    'list_employees',
    'list_absences',
    'search_meetings',
    'list_absences',
    'list_employees',
    'list_absences',
    'search_meetings',
  ],
  [
    'audit_pull_requests',
    'search_repositories',
    'audit_pull_requests',
    'search_repositories',
    'audit_pull_requests',
  ],
]

/** Ten tasks, the same on every run. */
export const tasks: readonly Task[] = calls.map((tools, task) => ({
  name: `task-${task + 1}`,
  actions: tools.map((tool, call) => {
    const entry = `A-${20_000 + task * 100 + call}`
    return { tool, arguments: argumentsOf(tool, call), entry }
  }),
}))

function argumentsOf(tool: string, call: number): Action['arguments'] {
  if (tool.startsWith('search')) return { query: `quarter ${call + 1}`, limit: 100 }
  if (tool.startsWith('audit')) return { id: `all-${call + 1}`, limit: 100 }
  if (tool.startsWith('export'))
    return { created_after: `2026-0${call + 1}-01T00:00:00Z`, format: 'jsonl' }
  return { limit: 100, cursor: `c${call}` }
}

/** What the user asks for. */
export const promptOf = ({ name, actions }: Task): string =>
  `${name}: report the value of each of these entries, in this order. ` +
  actions
    .map(({ tool, entry }, index) => `${index + 1}. ${tool.replaceAll('_', ' ')}: ${entry}`)
    .join('. ')

/** What stands in the result about an entry. */
const valueOf = (entry: string): string => `v${(Number(entry.slice(2)) * 7919) % 100_003}`

/** What the model has to say at the end. */
export const answerOf = ({ actions }: Task): string =>
  actions.map(({ entry }) => noteOf(entry, valueOf(entry))).join(' ')

/** What the model writes down of an entry. */
export const noteOf = (entry: string, value: string): string => `${entry} is ${value}.`

/** The result of a call: lines of JSON, with the entry that is looked for somewhere in them. */
export function resultOf(tool: string, args: unknown): string {
  const wanted = JSON.stringify(args)
  const action = tasks
    .flatMap(({ actions }) => actions)
    .find((one) => one.tool === tool && JSON.stringify(one.arguments) === wanted)
  if (!action) throw new Error(`no task calls ${tool} with ${wanted}`)
  const lines: string[] = []
  let length = 0
  for (let index = 0; length < resultLength; index++) {
    const line = lineOf(`B-${action.entry.slice(2)}${index}`, `w${index}`)
    lines.push(line)
    length += line.length + 1
  }
  const place = Number(valueOf(action.entry).slice(1)) % lines.length
  lines[place] = lineOf(action.entry, valueOf(action.entry))
  return lines.join('\n')
}

/** The value of an entry, if a text shows it. */
export const valueIn = (text: string, entry: string): string | undefined =>
  new RegExp(`"id":"${entry}","value":"(\\w+)"`).exec(text)?.[1]

const lineOf = (id: string, value: string): string =>
  JSON.stringify({
    id,
    value,
    state: 'open',
    owner: 'j.miller@example.com',
    updated: '2026-11-20T09:30:00Z',
    note: 'checked by the regional office, no objection',
  })
