import { library } from '../../tsup.base.js'

export default library('src/index.ts', 'src/requests.ts', 'src/browser-requests.ts')
