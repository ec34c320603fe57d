/** A tool as each library is given it. */
export interface CatalogTool {
  readonly name: string
  readonly description: string
  readonly parameters: {
    readonly type: 'object'
    readonly properties: Readonly<Record<string, object>>
    readonly required: readonly string[]
    readonly additionalProperties: false
  }
}

/** What a company keeps, with what an entry says about itself. */
const subjects: Readonly<Record<string, string>> = {
  invoices: 'An invoice has a customer, lines, a due date and a payment state.',
  customers: 'A customer has an address, a contact person and a credit limit.',
  contracts: 'A contract has two parties, a term and a notice period.',
  shipments: 'A shipment has a carrier, parcels and a tracking history.',
  purchase_orders: 'A purchase order has a supplier, lines and a delivery date.',
  employees: 'An employee has a department, a manager and a working time.',
  absences: 'An absence has an employee, a reason and a first and a last day.',
  tickets: 'A ticket has a reporter, a queue, a priority and comments.',
  incidents: 'An incident has a severity, a service and a timeline.',
  deployments: 'A deployment has a service, a version and an environment.',
  repositories: 'A repository has an owner, branches and protection rules.',
  pull_requests: 'A pull request has an author, reviewers, checks and commits.',
  builds: 'A build has a commit, jobs, artifacts and logs.',
  campaigns: 'A campaign has a channel, a budget and an audience.',
  leads: 'A lead has a source, a score and an account manager.',
  meetings: 'A meeting has participants, a room and an agenda.',
  documents: 'A document has an owner, versions and access rights.',
  suppliers: 'A supplier has a rating, bank details and price lists.',
  payments: 'A payment has an amount, a currency and a reference.',
  warehouses: 'A warehouse has zones, stock levels and counting dates.',
}

const text = (description: string) => ({ type: 'string', description })
const whole = (description: string, maximum: number) => ({
  type: 'integer',
  minimum: 1,
  maximum,
  description,
})
const oneOf = (description: string, ...values: string[]) => ({
  type: 'string',
  enum: values,
  description,
})
const id = { id: text('The identifier, for example "A-20417"') }
const page = {
  limit: whole('How many entries to return at most', 500),
  cursor: text('Where to continue: `next_cursor` of the page before'),
}
const times = {
  created_after: {
    ...text('Only entries created at or after this time, in RFC 3339'),
    format: 'date-time',
  },
  created_before: {
    ...text('Only entries created before this time, in RFC 3339'),
    format: 'date-time',
  },
}
const state = {
  state: oneOf('Only entries in this state', 'open', 'blocked', 'closed', 'archived'),
}
const fields = {
  title: text('The title, at most 200 characters'),
  details: text('The details, as Markdown'),
  labels: {
    type: 'array',
    items: { type: 'string' },
    description: 'Labels to set; replaces all that were set before',
  },
  priority: oneOf('How urgent it is', 'low', 'normal', 'high', 'critical'),
}

/**
 * What can be done with each of them: a sentence, and the parameters with those that are required
 * first.
 */
const verbs: Readonly<
  Record<string, readonly [sentence: string, parameters: object, required: readonly string[]]>
> = {
  list: [
    'Lists # page by page, newest first',
    { ...page, ...state, ...times, sort: oneOf('Order', 'asc', 'desc') },
    [],
  ],
  search: [
    'Searches # by words in all of their fields',
    { query: text('Words to look for'), ...page, ...state },
    ['query'],
  ],
  get: [
    'Gets one of the # with everything that is known of it',
    { ...id, expand: { type: 'boolean', description: 'Also return what it refers to' } },
    ['id'],
  ],
  export: [
    'Exports # as lines of JSON',
    {
      ...times,
      ...state,
      format: oneOf('Format of the file', 'jsonl', 'csv'),
      columns: {
        type: 'array',
        items: { type: 'string' },
        description: 'Columns to export. Default: all',
      },
    },
    [],
  ],
  audit: [
    'Shows who changed # and when, entry by entry',
    { ...id, ...page, ...times, actor: text('Only changes by this person') },
    [],
  ],
  create: [
    'Creates an entry among the #',
    { ...fields, owner: text('E-mail address of the owner') },
    ['title'],
  ],
  update: [
    'Updates one of the #; fields that are left out stay as they are',
    {
      ...id,
      ...fields,
      version: whole('The version that was read, to detect conflicts', 1_000_000),
    },
    ['id'],
  ],
  archive: [
    'Archives one of the #, which can be undone for 30 days',
    { ...id, reason: text('Why, for the log') },
    ['id', 'reason'],
  ],
  assign: [
    'Assigns one of the # to a person or a team',
    {
      ...id,
      assignee: text('E-mail address or the name of a team'),
      notify: { type: 'boolean', description: 'Send an e-mail to whoever it is assigned to' },
    },
    ['id', 'assignee'],
  ],
  comment: [
    'Adds a comment to one of the #',
    {
      ...id,
      body: text('The comment, as Markdown'),
      visibility: oneOf('Who can read it', 'internal', 'public'),
    },
    ['id', 'body'],
  ],
}

/**
 * Two hundred tools: ten verbs of twenty subjects, each with a description of two or three
 * sentences and a schema.
 */
export const catalog: readonly CatalogTool[] = Object.entries(subjects).flatMap(
  ([subject, about]) =>
    Object.entries(verbs).map(([verb, [sentence, properties, required]]) => ({
      name: `${verb}_${subject}`,
      description: `${sentence.replace('#', subject.replaceAll('_', ' '))}. ${about} Fails with "forbidden" if the caller may not see the entry.`,
      parameters: {
        type: 'object' as const,
        properties: properties as Readonly<Record<string, object>>,
        required,
        additionalProperties: false as const,
      },
    })),
)
