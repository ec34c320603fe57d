import { render, type VNode } from 'preact'
import { openSession } from './api.js'
import { App, NoSession } from './app.js'
import { followAddress, refreshInfo } from './state.js'

const root = document.getElementById('root')
if (root) {
  const show = (view: VNode): void => {
    root.replaceChildren()
    render(view, root)
  }
  if (await openSession()) {
    followAddress()
    await refreshInfo().then(
      () => show(<App />),
      () => show(<NoSession />),
    )
  } else show(<NoSession />)
}
