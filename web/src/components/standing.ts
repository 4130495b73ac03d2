/* The icon and colour of each verdict and state. A verdict is never told by colour alone. */
import type { Standing } from '../text/words'
import type { IconName } from './icons'

export type Tone = 'ok' | 'bad' | 'warn' | 'mle' | 'ole' | 're' | 'ce' | 'part' | 'live' | 'plain'

interface Look {
  icon: IconName
  tone: Tone
  spin?: boolean
}

export const looks: Record<Standing, Look> = {
  ACCEPTED: { icon: 'accepted', tone: 'ok' },
  WRONG_ANSWER: { icon: 'wrong', tone: 'bad' },
  PRESENTATION_ERROR: { icon: 'presentation', tone: 'warn' },
  TIME_LIMIT_EXCEEDED: { icon: 'time', tone: 'warn' },
  MEMORY_LIMIT_EXCEEDED: { icon: 'memory', tone: 'mle' },
  OUTPUT_LIMIT_EXCEEDED: { icon: 'output', tone: 'ole' },
  RUNTIME_ERROR: { icon: 'runtime', tone: 're' },
  COMPILE_ERROR: { icon: 'compile', tone: 'ce' },
  PARTIAL: { icon: 'partial', tone: 'part' },
  SYSTEM_ERROR: { icon: 'system', tone: 'plain' },
  CANCELLED: { icon: 'cancelled', tone: 'plain' },
  PENDING: { icon: 'pending', tone: 'live' },
  COMPILING: { icon: 'running', tone: 'live', spin: true },
  JUDGING: { icon: 'running', tone: 'live', spin: true },
}
