import type { Verdict } from '../api/types'
import { messages } from './messages'

const en = {
  ACCEPTED: 'Accepted',
  WRONG_ANSWER: 'Wrong answer',
  PRESENTATION_ERROR: 'Presentation error',
  TIME_LIMIT_EXCEEDED: 'Time limit exceeded',
  MEMORY_LIMIT_EXCEEDED: 'Memory limit exceeded',
  OUTPUT_LIMIT_EXCEEDED: 'Output limit exceeded',
  RUNTIME_ERROR: 'Runtime error',
  COMPILE_ERROR: 'Compile error',
  PARTIAL: 'Partly right',
  SYSTEM_ERROR: 'System error',
  CANCELLED: 'Cancelled',
} satisfies Record<Verdict, string>

const zh = {
  ACCEPTED: '通过',
  WRONG_ANSWER: '答案错误',
  PRESENTATION_ERROR: '格式错误',
  TIME_LIMIT_EXCEEDED: '超出时间限制',
  MEMORY_LIMIT_EXCEEDED: '超出内存限制',
  OUTPUT_LIMIT_EXCEEDED: '超出输出限制',
  RUNTIME_ERROR: '运行错误',
  COMPILE_ERROR: '编译错误',
  PARTIAL: '部分正确',
  SYSTEM_ERROR: '系统错误',
  CANCELLED: '已取消',
} satisfies Record<Verdict, string>

export const verdictTable = messages(en, zh)

export const stateTable = messages(
  {
    pending: 'Waiting',
    compiling: 'Compiling',
    judging: 'Judging',
    judgingCase: (index: number, total: number) => `Judging case ${index} of ${total}`,
    queued: 'Waiting for a free judge node.',
    queuedAt: (place: number) =>
      place === 1 ? 'Next in the queue.' : `Number ${place} in the queue.`,
    queuedFar: (places: number) => `More than ${places} are before it in the queue.`,
    estimate: (time: string) => `About ${time}.`,
    starting: 'A judge node has taken it.',
    offline: 'No judge node for this language answers. It is judged when one does.',
    backoffUntil: (time: string) =>
      `Judging was interrupted by a fault of the system, not yours. It is tried again at ${time}.`,
    noNode: 'No judge node for this language is running. It will be judged when one is.',
    noRuntime: 'No judge node has the runtime this problem asks for. It waits until one has.',
    draining: 'All judge nodes for this language are being stopped. It waits for another one.',
    backoff: 'Judging was interrupted by a fault of the system, not yours. It is tried again soon.',
    held: 'Held by an administrator.',
    heldFor: (why: string) => `Held by an administrator: ${why}`,
    problem: 'The problem’s own checker or data is broken. It is judged when that is mended.',
    waiting: 'Waiting.',
  },
  {
    pending: '等待中',
    compiling: '编译中',
    judging: '评测中',
    judgingCase: (index: number, total: number) => `评测中：第 ${index} / ${total} 个测试点`,
    queued: '等待空闲的评测节点。',
    queuedAt: (place: number) => (place === 1 ? '排在队首。' : `排在第 ${place} 位。`),
    queuedFar: (places: number) => `前面还有超过 ${places} 份提交。`,
    estimate: (time: string) => `大约还需 ${time}。`,
    starting: '评测节点已领取。',
    offline: '支持这种语言的评测节点没有响应；恢复后会自动评测。',
    backoffUntil: (time: string) => `评测因系统故障中断（不是你的问题），将在 ${time} 自动重试。`,
    noNode: '没有运行中的评测节点支持这种语言；有节点后会自动评测。',
    noRuntime: '没有评测节点提供所需的运行时；有节点后会自动评测。',
    draining: '支持这种语言的评测节点都在停止，等待其他节点。',
    backoff: '评测因系统故障中断（不是你的问题），稍后会自动重试。',
    held: '已被管理员暂缓。',
    heldFor: (why: string) => `已被管理员暂缓：${why}`,
    problem: '题目自身的检查器或数据有问题，修好后会继续评测。',
    waiting: '等待中。',
  },
)
