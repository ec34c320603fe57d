import type { VNode } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { pretty } from '../parts/format.js'
import { visible } from '../parts/visible.js'
import type { FormDraft, SchemaField } from './schema-fields.js'

/**
 * The arguments of a tool, or the options of a run, as fields. Problems stand below their field;
 * the first one gets the focus.
 */
export function SchemaForm({
  fields,
  draft,
  problems,
  empty = 'There is nothing to fill in.',
  onInput,
  onRemove,
}: {
  readonly fields: readonly SchemaField[]
  readonly draft: FormDraft
  readonly problems: Readonly<Record<string, string>>
  readonly empty?: string
  readonly onInput: (name: string, text: string) => void
  /** Set if a field can be taken away. */
  readonly onRemove?: (name: string) => void
}): VNode {
  const id = useId()
  const form = useRef<HTMLDivElement>(null)
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [problems])
  if (fields.length === 0) return <p class="muted">{empty}</p>
  return (
    <div class="schema-form" ref={form}>
      {fields.map((field, index) => (
        <FormField
          key={field.name}
          id={`${id}-${index}`}
          field={field}
          text={draft[field.name] ?? ''}
          problem={problems[field.name]}
          onInput={(text) => onInput(field.name, text)}
          onRemove={onRemove && (() => onRemove(field.name))}
        />
      ))}
    </div>
  )
}

interface FieldProps {
  readonly id: string
  readonly field: SchemaField
  readonly text: string
  readonly problem: string | undefined
  readonly onInput: (text: string) => void
  readonly onRemove?: (() => void) | undefined
}

function FormField(props: FieldProps): VNode {
  const { id, field, problem } = props
  const { name, isRequired, description } = field
  return (
    <div class="form-field">
      <label for={id}>
        <code>{visible(name)}</code> {!isRequired && <span class="muted">optional</span>}
      </label>
      {props.onRemove && (
        <button type="button" class="quiet" onClick={props.onRemove}>
          Remove <span class="visually-hidden">{name}</span>
        </button>
      )}
      {description && (
        <p class="muted" id={`${id}-description`}>
          {visible(description)}
        </p>
      )}
      <Control {...props} />
      {problem !== undefined && (
        <p class="problem small" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  )
}

function Control({ id, field, text, problem, onInput }: FieldProps): VNode {
  const { kind, isRequired, description } = field
  const described = [
    description && `${id}-description`,
    problem !== undefined && `${id}-problem`,
  ].filter(Boolean)
  const shared = {
    id,
    'aria-required': isRequired,
    ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
    ...(problem !== undefined && { 'aria-invalid': true }),
  }
  if (kind === 'boolean' || kind === 'choice') {
    const choices = kind === 'boolean' ? [true, false] : field.choices
    return (
      <select
        {...shared}
        value={text}
        onChange={({ currentTarget }) => onInput(currentTarget.value)}
      >
        <option value="">{isRequired ? 'Choose…' : 'Not sent'}</option>
        {choices.map((choice) => (
          <option key={JSON.stringify(choice)} value={JSON.stringify(choice)}>
            {pretty(choice)}
          </option>
        ))}
      </select>
    )
  }
  // A text may have lines; a number stays text, so that what was typed is kept when it is wrong.
  if (kind === 'json' || kind === 'text')
    return (
      <textarea
        {...shared}
        class={kind === 'json' ? 'code' : ''}
        rows={kind === 'json' ? 3 : 1}
        value={text}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    )
  return (
    <input
      {...shared}
      inputMode={kind === 'integer' ? 'numeric' : 'decimal'}
      autocomplete="off"
      value={text}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  )
}
