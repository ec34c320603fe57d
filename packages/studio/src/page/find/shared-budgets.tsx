import type { BudgetState, SharedAmounts } from '@modelport/runtime'
import type { VNode } from 'preact'
import type { StoredInfo } from '../../protocol/stored.js'
import { get } from '../link/api.js'
import { useLoaded } from '../link/use-loaded.js'
import { formatCost, formatCount, formatTime } from '../parts/format.js'
import { TableHead } from '../parts/table-head.js'
import { visible } from '../parts/visible.js'

/** The budgets of the store that the studio was started with. */
export function SharedBudgets(): VNode {
  const { value, problem } = useLoaded('budgets', () => get<StoredInfo>('/api/stored'))
  const budgets = value?.budgets ?? []
  return (
    <section aria-label="Shared budgets">
      <h2>Shared budgets</h2>
      {problem && <p class="problem">{problem}</p>}
      {!value && !problem && <p class="muted working">Reading the store…</p>}
      {value && budgets.length === 0 && <p class="empty">The store has no budgets.</p>}
      {budgets.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label="Who spent what">
          <table>
            <TableHead
              columns={[
                ['Owner'],
                ['Window'],
                ['Cost', true],
                ['Tokens', true],
                ['Calls', true],
                ['Until'],
              ]}
            />
            <tbody>
              {budgets.map((budget) => (
                <BudgetRow key={`${budget.owner} ${budget.window}`} budget={budget} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

const BudgetRow = ({ budget }: { readonly budget: BudgetState }): VNode => (
  <tr>
    <th scope="row">{visible(budget.owner)}</th>
    <td>
      {budget.window === 'none' ? 'does not end' : `${budget.window}, ${visible(budget.timeZone)}`}
    </td>
    <Amount budget={budget} name="cost" limit={budget.maxCost} format={formatCost} />
    <Amount budget={budget} name="tokens" limit={budget.maxTokens} format={formatCount} />
    <Amount budget={budget} name="calls" limit={budget.maxCalls} format={formatCount} />
    <td>{budget.endsAt === undefined ? '–' : formatTime(Date.parse(budget.endsAt))}</td>
  </tr>
)

/** What was used of a limit, with what calls hold that are not over. */
function Amount({
  budget: { owner, used, reserved, topUp },
  name,
  limit,
  format,
}: {
  readonly budget: BudgetState
  readonly name: keyof SharedAmounts
  readonly limit: number | undefined
  readonly format: (amount: number) => string
}): VNode {
  const most = limit === undefined ? undefined : limit + topUp[name]
  const notes = [
    ...(topUp[name] > 0 ? [`${format(topUp[name])} added`] : []),
    ...(reserved[name] > 0 ? [`${format(reserved[name])} reserved`] : []),
  ]
  return (
    <td class="number">
      {format(used[name])}
      {most !== undefined && ` of ${format(most)}`}
      {notes.length > 0 && <span class="muted"> ({notes.join(', ')})</span>}
      {most !== undefined && (
        <meter
          aria-label={`${name} of ${owner}`}
          value={used[name]}
          max={most}
          high={most * 0.9}
          optimum={0}
        />
      )}
    </td>
  )
}
