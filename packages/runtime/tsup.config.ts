import { library } from '../../tsup.base.js'

export default library(
  'src/index.ts',
  'src/engines/engines.ts',
  'src/telemetry/opentelemetry.ts',
  'src/ui/ui.ts',
)
