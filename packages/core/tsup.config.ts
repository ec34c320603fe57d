import { library } from '../../tsup.base.js'

export default library('src/index.ts', 'src/settings.ts', 'src/text.ts', 'src/turns.ts')
