import { messages } from './messages'

export const poolWarningTable = messages(
  {
    warnings: 'What is offered and what nodes can do differ',
    no_node: 'nobody runs it',
    other_spec: 'other runtime spec',
    versions_differ: 'versions differ',
    out_of_service: 'out of service',
    noNodeText: (language: string) => `Students are offered ${language}, and no enabled node can run it.`,
    otherSpecText: (language: string, node: string, spec: string) =>
      `Students are offered ${language}; only nodes of another runtime spec run it: ${node} (${spec}).`,
    versionsText: (first: string, one: string, second: string, other: string) =>
      `${first} has ${one}, ${second} has ${other}.`,
    outText: (node: string, reason: string) => `${node} took itself out of service: ${reason}`,
  },
  {
    warnings: '提供的语言与节点能力不一致',
    no_node: '无节点可运行',
    other_spec: '规格不同',
    versions_differ: '版本不一致',
    out_of_service: '已退出服务',
    noNodeText: (language: string) => `向学生提供 ${language}，但没有已启用的节点能运行它。`,
    otherSpecText: (language: string, node: string, spec: string) =>
      `向学生提供 ${language}，但只有其他运行时规格的节点能运行它：${node}（${spec}）。`,
    versionsText: (first: string, one: string, second: string, other: string) =>
      `${first} 为 ${one}，${second} 为 ${other}。`,
    outText: (node: string, reason: string) => `${node} 已自行退出服务：${reason}`,
  },
)
