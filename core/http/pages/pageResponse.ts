import { createHash } from "node:crypto";
import { escapeHtml } from "#core/http/pages/escapeHtml.ts";

/** A page: its title, and its body as escaped HTML. */
export type Page = { title: string; body: string };

const STYLE = [
	":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}",
	"body{max-width:48rem;margin:2rem auto;padding:0 1rem}",
	"dt{font-weight:600;margin-top:1rem}dd{margin-left:0}",
	"code{font-family:ui-monospace,monospace}",
].join("");

/** Nothing is loaded and nothing runs; the one style is allowed by its hash. */
const POLICY = [
	"default-src 'none'",
	`style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
].join("; ");

/** Returns a page of text and links as a response. */
export function pageResponse({ title, body }: Page): Response {
	const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
	return new Response(html, {
		headers: {
			"content-type": "text/html; charset=utf-8",
			"content-security-policy": POLICY,
			"cache-control": "no-cache",
			vary: "Accept",
		},
	});
}
