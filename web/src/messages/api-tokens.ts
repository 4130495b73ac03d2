import { messages } from './messages'

export const apiTokensTable = messages(
  {
    title: 'API tokens',
    hint: 'For programs, instead of your password. Nobody can read a token again: it is shown once.',
    none: 'You have no API token.',
    name: 'Name',
    scope: 'What it may do',
    read: 'Read only',
    write: 'All that you may',
    days: 'Days',
    make: 'Make a token',
    until: (time: string) => `until ${time}`,
    revoke: 'Revoke',
    revokeOf: (name: string) => `Revoke ${name}`,
    shownOnce: 'Shown only now. Keep it in a file that only you can read.',
  },
  {
    title: 'API 令牌',
    hint: '供程序使用，代替密码。令牌只显示一次，之后无法再查看。',
    none: '你还没有 API 令牌。',
    name: '名称',
    scope: '权限',
    read: '只读',
    write: '与你相同',
    days: '天数',
    make: '创建令牌',
    until: (time: string) => `有效期至 ${time}`,
    revoke: '吊销',
    revokeOf: (name: string) => `吊销 ${name}`,
    shownOnce: '只显示这一次。请保存在只有你能读取的文件中。',
  },
)
