// A question of a tool: its message, and a form made from its schema, or the address that it asks
// the user to open.
import type { PendingQuestion } from '@modelport/runtime'

type Question = PendingQuestion['question']
interface Field {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly description?: unknown
}

interface QuestionFormProps {
  readonly tool: string
  readonly question: Question
  readonly respond: (approved: boolean, content?: Readonly<Record<string, unknown>>) => void
}

/** Shows who asks, and what. The page never loads an address of a question; the user opens it. */
export function QuestionForm({
  tool,
  question: { from = tool, message, schema, url },
  respond,
}: QuestionFormProps) {
  const fields = Object.entries((schema?.['properties'] ?? {}) as Readonly<Record<string, Field>>)
  const required = (schema?.['required'] ?? []) as readonly string[]
  return (
    <form
      aria-label={`${from} asks`}
      onSubmit={(event) => {
        event.preventDefault()
        respond(true, contentOf(new FormData(event.currentTarget), fields))
      }}
    >
      <p>
        <strong>{from}</strong> asks: {message}
      </p>
      {url !== undefined && (
        <p>
          Open <code>{url}</code> yourself if you expect it.
        </p>
      )}
      {fields.map(([name, field]) => (
        <label key={name}>
          {name}
          <Input name={name} field={field} isRequired={required.includes(name)} />
          {typeof field.description === 'string' && <small>{field.description}</small>}
        </label>
      ))}
      <button>{url === undefined ? 'Answer' : 'Done'}</button>
      <button type="button" onClick={() => respond(false)}>
        Decline
      </button>
    </form>
  )
}

function Input({ name, field, isRequired }: { name: string; field: Field; isRequired: boolean }) {
  if (field.enum)
    return (
      <select name={name} required={isRequired}>
        {field.enum.map((value) => (
          <option key={String(value)}>{String(value)}</option>
        ))}
      </select>
    )
  if (field.type === 'boolean') return <input name={name} type="checkbox" />
  const isNumber = field.type === 'number' || field.type === 'integer'
  return (
    <input
      name={name}
      required={isRequired}
      type={isNumber ? 'number' : 'text'}
      step={field.type === 'number' ? 'any' : undefined}
    />
  )
}

/** The values by the types of their fields; an empty field that is not required is left out. */
function contentOf(
  form: FormData,
  fields: readonly (readonly [string, Field])[],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    fields.flatMap(([name, { type, enum: values }]) => {
      const given = form.get(name)
      if (type === 'boolean' && !values) return [[name, given !== null]]
      if (typeof given !== 'string' || given === '') return []
      const value = values?.find((one) => String(one) === given)
      return [[name, value ?? (type === 'number' || type === 'integer' ? Number(given) : given)]]
    }),
  )
}
