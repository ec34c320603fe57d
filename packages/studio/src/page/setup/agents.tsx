import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { AgentCardInfo, ModelInfo } from '../../protocol/protocol.js'
import { post } from '../link/api.js'
import { go, info, selectedModel } from '../link/state.js'
import { useAction } from '../parts/use-action.js'

/** The agents behind an address: who they are, and a way to talk to each. */
export function Agents(): VNode {
  const agents = (info.value?.models ?? []).filter(({ provider }) => provider === 'agent')
  return (
    <div class="agents">
      <h1>Agents</h1>
      <p class="muted">
        The studio contacts only agents that were named where it was started. Their prompts and
        tools stay in their own process.
      </p>
      {agents.length === 0 && (
        <p class="empty">
          No agent yet. Start the studio with the address of one:{' '}
          <code>modelport studio --agent http://127.0.0.1:4000</code>
        </p>
      )}
      {agents.map((agent) => (
        <AgentEntry key={agent.id} agent={agent} />
      ))}
    </div>
  )
}

function AgentEntry({ agent: { id, hosts } }: { readonly agent: ModelInfo }): VNode {
  const [card, setCard] = useState<AgentCardInfo>()
  const { isBusy, problem, act } = useAction()
  const read = async (): Promise<void> =>
    setCard(await post<AgentCardInfo>('/api/agents/card', { model: id }))
  return (
    <section class="entry" aria-label={`Agent ${id}`}>
      <h2>
        <code>{id}</code>
      </h2>
      <p class="muted">Contacts {hosts.join(', ')}</p>
      <p>
        <button type="button" disabled={isBusy} onClick={() => void act(read)}>
          {isBusy ? 'Reading the card…' : 'Read the card'}
        </button>{' '}
        <button
          type="button"
          class="primary"
          onClick={() => {
            selectedModel.value = id
            go('chat')
          }}
        >
          Chat with it
        </button>
      </p>
      {problem && (
        <p class="problem" role="alert">
          {problem}. Is the agent running? <code>modelport agent card {id}</code> tries the same in
          a terminal.
        </p>
      )}
      <div aria-live="polite">{card && <Card card={card} />}</div>
    </section>
  )
}

function Card({ card }: { readonly card: AgentCardInfo }): VNode {
  const { name, description, version, capabilities, skills } = card
  return (
    <>
      <p>
        <strong>{name}</strong> <span class="badge">{version}</span> {description}
      </p>
      <p class="muted">
        {capabilities.length > 0 ? capabilities.join(', ') : 'The card lists no capabilities.'}
      </p>
      {skills.length > 0 && (
        <dl class="skills">
          {skills.map((skill) => (
            <div key={skill.id}>
              <dt>{skill.name}</dt>
              <dd>{skill.description}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  )
}
