import { messages } from './messages'

export const signinTable = messages(
  {
    title: 'Sign in',
    lead: 'An online judge: hand in a program, see at once what it is worth.',
    username: 'User name',
    password: 'Password',
    show: 'Show the password',
    submit: 'Sign in',
    working: 'Signing in…',
    forgotten: 'No account, or password forgotten?',
    forgottenStudent: 'Ask your teacher or administrator: they can set a new password.',
    forgottenAdmin: 'The administrator’s first password was printed once when the server started. A new one:',
  },
  {
    title: '登录',
    lead: '在线评测：提交程序，立即看到结果。',
    username: '用户名',
    password: '密码',
    show: '显示密码',
    submit: '登录',
    working: '正在登录…',
    forgotten: '没有账号，或忘记密码？',
    forgottenStudent: '请联系老师或管理员，他们可以重设密码。',
    forgottenAdmin: '管理员的初始密码在服务器首次启动时显示过一次。重新生成：',
  },
)
