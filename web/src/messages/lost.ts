import { messages } from './messages'

export const lostTable = messages(
  {
    title: 'Nothing here',
    text: 'There is no page at this address.',
    home: 'To the problems',
    failed: 'This did not work',
    back: 'Back',
  },
  {
    title: '没有这个页面',
    text: '这个地址没有页面。',
    home: '前往题目',
    failed: '出错了',
    back: '返回',
  },
)
