import type { VNode } from 'preact'
import { info, selectedModel } from '../link/state.js'

/** Selects the model for what comes next, on every view. */
export const ModelSelect = (): VNode => (
  <label>
    Model
    <select
      value={selectedModel.value}
      onChange={({ currentTarget }) => {
        selectedModel.value = currentTarget.value
      }}
    >
      {(info.value?.models ?? []).map(({ id }) => (
        <option key={id}>{id}</option>
      ))}
    </select>
  </label>
)
