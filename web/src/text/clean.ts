/* What a statement may bring into the page. Statements come from packages that anybody may have
 * written, so nothing in them can run, load from elsewhere, or dress up as part of the page. */
import DOMPurify, { type Config } from 'dompurify'

const TAGS = [
  'a', 'abbr', 'b', 'blockquote', 'br', 'caption', 'center', 'cite', 'code', 'col', 'colgroup', 'dd',
  'del', 'details', 'dfn', 'div', 'dl', 'dt', 'em', 'figcaption', 'figure', 'h1', 'h2', 'h3', 'h4',
  'h5', 'h6', 'hr', 'i', 'img', 'ins', 'kbd', 'li', 'mark', 'ol', 'p', 'pre', 'q', 's', 'samp',
  'small', 'span', 'strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th', 'thead',
  'tr', 'tt', 'u', 'ul', 'var',
]
const ATTRIBUTES = [
  'align', 'alt', 'colspan', 'data-math', 'data-tex', 'dir', 'height', 'href', 'lang', 'rowspan',
  'scope', 'src', 'start', 'title', 'valign', 'width',
]

const CONFIG = {
  ALLOWED_TAGS: TAGS,
  ALLOWED_ATTR: ATTRIBUTES,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i,
  RETURN_DOM_FRAGMENT: true,
} satisfies Config

/* `files` is the address below which the statement's own files are. */
export interface CleanOptions {
  files: string
}

const ABSOLUTE = /^(?:[a-z][a-z0-9+.-]*:|\/)/i

/* A package names its pictures by a path in its own folder; the server knows them by name. */
function fileUrl(source: string, files: string): string | null {
  if (ABSOLUTE.test(source)) return null
  const name = source.split(/[?#]/)[0]!.split('/').pop()!
  if (name === '' || name === '..' || name === '.') return null
  let plain = name
  try {
    plain = decodeURIComponent(name)
  } catch {
    /* A name with a bare per cent sign is meant as it is. */
  }
  return files + encodeURIComponent(plain)
}

function placeImage(image: Element, files: string): void {
  const source = image.getAttribute('src') ?? ''
  const url = fileUrl(source, files)
  if (url) {
    image.setAttribute('src', url)
    if (!image.hasAttribute('alt')) image.setAttribute('alt', source.split('/').pop()!)
    image.setAttribute('loading', 'lazy')
    return
  }
  const link = document.createElement('a')
  link.textContent = image.getAttribute('alt') || source
  if (/^https?:/i.test(source)) link.setAttribute('href', source)
  image.replaceWith(link)
}

function placeLink(link: Element, files: string): void {
  const target = link.getAttribute('href') ?? ''
  if (target.startsWith('#')) {
    link.removeAttribute('href')
    return
  }
  const url = fileUrl(target, files)
  if (url) link.setAttribute('href', url)
  link.setAttribute('target', '_blank')
  link.setAttribute('rel', 'noopener noreferrer nofollow')
}

export function cleanHtml(html: string, options: CleanOptions): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, CONFIG)
  for (const image of fragment.querySelectorAll('img')) placeImage(image, options.files)
  for (const link of fragment.querySelectorAll('a[href]')) placeLink(link, options.files)
  return fragment
}
