import type { VNode } from 'preact'
import type { ContextInfo } from '../../protocol/protocol.js'
import { isOver } from '../../protocol/run-status.js'
import { get } from '../link/api.js'
import { useLoaded } from '../link/use-loaded.js'
import { useRun } from '../link/use-run.js'
import { formatCount } from '../parts/format.js'
import { Legend } from '../parts/legend.js'
import { TableHead } from '../parts/table-head.js'
import { RunHead } from './run-head.js'

/**
 * The blocks of each model call, and the first block that differs from the call before, from which
 * on the cache is lost.
 */
export function Context({ id }: { readonly id: string }): VNode {
  const { run } = useRun(id)
  const version = run?.version.value ?? 0
  const { value: contexts, problem } = useLoaded(
    `${id} ${Math.min(version, 1)}${run?.view.ended?.status ?? ''}`,
    () => get<ContextInfo[]>(`/api/runs/${id}/context`),
  )
  return (
    <div class="context">
      <RunHead id={id} current="context" run={run} problem={problem} />
      {contexts?.length === 0 && (
        <p class="empty">
          {run?.record.value.task
            ? run.record.value.program === undefined
              ? 'The prompts of a remote agent are made in its own process, so they cannot be shown here.'
              : 'The prompts of this task are in the runs below it in the list of runs.'
            : run && isOver(run.record.value)
              ? 'This run has no prompts as blocks: only the runs of the loop do. The conversation has its messages.'
              : 'No model call yet. The blocks of the first prompt appear here as soon as it is sent.'}
        </p>
      )}
      {contexts && contexts.length > 0 && <Legend kinds={kinds} />}
      {contexts?.map((context) => (
        <ContextCard
          key={context.step}
          runId={id}
          context={context}
          most={Math.max(...contexts.map(({ tokens }) => tokens))}
        />
      ))}
    </div>
  )
}

const kinds = [
  ['tool', 'Tool definition'],
  ['system', 'System prompt'],
  ['user', 'User'],
  ['assistant', 'Model'],
  ['tool-result', 'Tool result'],
] as const

const formatShare = (share: number): string =>
  share < 0.01 ? 'below 1 %' : `${Math.round(share * 100)} %`

/** A window that is nearly full has a colour of its own. */
const classOf = (share: number): string => {
  if (share > 1) return 'is-over'
  return share >= 0.9 ? 'is-near' : 'muted'
}

function ContextCard({
  runId,
  context,
  most,
}: {
  readonly runId: string
  readonly context: ContextInfo
  /** Tokens of the largest call of the run: its bar has the full width. */
  readonly most: number
}): VNode {
  const { step, tokens, countedTokens, window, blocks, cachedTokens } = context
  const size = countedTokens ?? tokens
  const share = window === undefined ? 0 : size / window
  const total = Math.max(
    tokens,
    blocks.reduce((sum, block) => sum + block.tokens, 0),
    1,
  )
  const changed = blocks.find((block) => block.changed)
  return (
    <section aria-label={`Call ${step}`}>
      <h2>
        <a href={`#/timeline/${runId}/${step}`} title="What was sent, and what came back">
          Call {step}
        </a>{' '}
        <span class={classOf(share)}>
          {countedTokens === undefined ? 'about ' : ''}
          {formatCount(size)} tokens
          {window === undefined
            ? ''
            : `, ${formatShare(share)} of the window of ${formatCount(window)}`}
          {cachedTokens === undefined || cachedTokens === 0
            ? ''
            : `, ${formatCount(cachedTokens)} read from the cache`}
        </span>
      </h2>
      {share > 1 && (
        <p class="problem">
          {countedTokens === undefined
            ? 'By this estimate the prompt is longer than the window. The vendor may refuse it.'
            : 'The prompt was longer than the window that the profile of the model has.'}
        </p>
      )}
      <div class="blocks" aria-hidden="true">
        {blocks.map((block, index) => (
          <span
            key={index}
            class={`block of-${block.name.split(' ')[0] ?? ''} ${block.changed ? 'changed' : ''}`}
            style={{ width: `${(block.tokens / Math.max(total, most)) * 100}%` }}
          />
        ))}
      </div>
      {changed && (
        <p class="note">
          <strong>{changed.name}</strong> is the first block that differs from the call before. A
          prompt cache can be reused up to here.
          {cachedTokens === 0 ? ' The vendor reported no cached tokens.' : ''}
        </p>
      )}
      <details>
        <summary>{blocks.length === 1 ? '1 block' : `${blocks.length} blocks`}</summary>
        <table>
          <TableHead
            columns={[['Block'], ['Tokens, estimated', true], ['Against the call before']]}
          />
          <tbody>
            {blocks.map((block, index) => (
              <tr key={index}>
                <th scope="row">
                  <span class={`swatch of-${block.name.split(' ')[0] ?? ''}`} aria-hidden="true" />{' '}
                  {block.name}
                </th>
                <td class="number">{formatCount(block.tokens)}</td>
                <td>{block.changed ? 'first difference' : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}
