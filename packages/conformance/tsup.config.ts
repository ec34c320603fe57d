import { library } from '../../tsup.base.js'

export default library('src/index.ts', 'src/wire-server.ts', 'src/main.ts')
