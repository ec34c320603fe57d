import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { AllowListInfo, HostInfo } from '../../protocol/protocol.js'
import { get } from '../link/api.js'
import { info } from '../link/state.js'
import { useLoaded } from '../link/use-loaded.js'
import { CopyButton } from '../parts/copy-button.js'
import { TableHead } from '../parts/table-head.js'

/** The hosts of each model, and the allow-list of a sandbox to copy. */
export function Hosts(): VNode {
  const { value: hosts, problem } = useLoaded('hosts', () => get<HostInfo[]>('/api/hosts'))
  return (
    <div class="hosts">
      <h1>Hosts</h1>
      <p class="muted">
        These are all hosts that the configured models, agents and servers contact. Nothing was
        contacted to make this list.
      </p>
      {problem && <p class="problem">{problem}</p>}
      {hosts?.length === 0 && (
        <p class="empty">
          No host: every model of this studio runs in its own process. Hosts of models that you
          configure with <code>modelport init</code> appear here.
        </p>
      )}
      {hosts && hosts.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label="Hosts">
          <table>
            <TableHead columns={[['Host'], ['Used by'], ['For']]} />
            <tbody>
              {hosts
                .filter((row, index) => hosts.findIndex((other) => isSame(row, other)) === index)
                .map((row) => (
                  <tr key={`${row.host} ${row.purpose}`}>
                    <th scope="row">
                      <code>{row.host}</code>
                    </th>
                    <td class="wraps">
                      {hosts.flatMap((one) => (isSame(row, one) ? [one.usedBy] : [])).join(', ')}
                    </td>
                    <td>{row.purpose}</td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      )}
      <AllowList formats={info.value?.formats ?? []} />
    </div>
  )
}

const isSame = (one: HostInfo, other: HostInfo): boolean =>
  one.host === other.host && one.purpose === other.purpose

function AllowList({ formats }: { readonly formats: readonly string[] }): VNode | null {
  const [format, setFormat] = useState(formats[0] ?? '')
  const { value, problem } = useLoaded(format, () =>
    format ? get<AllowListInfo>(`/api/allow-lists/${format}`) : Promise.resolve(undefined),
  )
  if (formats.length === 0) return null
  return (
    <section>
      <h2>For your sandbox</h2>
      <p class="field">
        <label>
          Format
          <select value={format} onChange={({ currentTarget }) => setFormat(currentTarget.value)}>
            {formats.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        {value && <CopyButton key={value.text} text={value.text} of="the allow-list" />}
      </p>
      {problem && <p class="problem">{problem}</p>}
      {value && (
        <>
          <pre tabIndex={0}>{value.text}</pre>
          {value.notes.map((note) => (
            <p key={note} class="note">
              {note}
            </p>
          ))}
        </>
      )}
    </section>
  )
}
