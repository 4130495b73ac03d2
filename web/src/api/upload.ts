/* Uploads by XMLHttpRequest, since fetch does not tell how much was sent. */
import { ApiError, apiError } from './errors'
import type { ImportResult } from './types'

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers()
  const after = request.getResponseHeader('Retry-After')
  if (after) headers.set('Retry-After', after)
  return headers
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/* `onSent` gets the share that was sent, 0 to 1. */
export function importProblem(
  file: Blob,
  options: { code: string; dryRun: boolean; xml: boolean },
  onSent: (share: number) => void,
): Promise<ImportResult> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const query = new URLSearchParams()
    if (options.code) query.set('code', options.code)
    if (options.dryRun) query.set('dryRun', 'true')
    if (file instanceof File) query.set('fileName', file.name)
    request.open('POST', `/api/v1/admin/problems?${query.toString()}`)
    request.setRequestHeader('Content-Type', options.xml ? 'application/xml' : 'application/zip')
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onSent(event.loaded / event.total)
    }
    request.onerror = () => reject(new ApiError('network', 0, {}, null))
    request.onload = () => {
      const body = parsed(request.responseText)
      if (request.status === 201 || request.status === 200) resolve(body as ImportResult)
      else reject(apiError({ status: request.status, headers: headersOf(request) }, body))
    }
    request.send(file)
  })
}
