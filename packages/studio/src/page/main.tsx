import { render } from 'preact'
import { openSession } from './api.js'
import { App, NoSession } from './app.js'
import { followAddress, refreshInfo } from './state.js'

const root = document.getElementById('root')
if (root) {
  if (await openSession()) {
    followAddress()
    await refreshInfo().then(
      () => render(<App />, root),
      () => render(<NoSession />, root),
    )
  } else render(<NoSession />, root)
}
