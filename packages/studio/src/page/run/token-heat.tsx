import type { TokenLogprob } from '@modelport/core'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { visible } from '../parts/visible.js'

const percent = (logprob: number): string => `${Math.round(Math.exp(logprob) * 1000) / 10} %`

/**
 * The tokens of the replies, darker the less likely each was; the alternatives stand in its title.
 */
export function TokenHeat({ tokens }: { readonly tokens: readonly TokenLogprob[] }): VNode {
  const [isOn, setOn] = useState(false)
  return (
    <>
      <button type="button" class="quiet" aria-pressed={isOn} onClick={() => setOn(!isOn)}>
        How likely each token was
      </button>
      {isOn && (
        <p class="plain heat">
          {tokens.map(({ token, logprob, top = [] }, index) => (
            <span
              key={index}
              style={{ '--heat': `${Math.round((1 - Math.exp(logprob)) * 100)}` }}
              title={[{ token, logprob }, ...top]
                .map((one) => `${visible(one.token)} ${percent(one.logprob)}`)
                .join('\n')}
            >
              {visible(token)}
            </span>
          ))}
        </p>
      )}
    </>
  )
}
