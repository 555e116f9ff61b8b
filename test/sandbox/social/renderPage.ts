import type { Account, Timeline } from "./createTimeline.ts";

/** Renders the conversation as an HTML page, with a form to write as one of the users. */
export function renderPage({ timeline, bot }: { timeline: Timeline; bot: Account }): string {
	const nameOf = (id: string) => `@${timeline.account(id)?.username ?? id}`;
	const rows = [
		...timeline.posts.map((one) => ({
			...{ id: one.id, who: nameOf(one.authorId), text: one.text, kind: "post" },
			isBot: one.authorId === bot.id,
		})),
		...timeline.messages.map((one) => ({
			...{ id: one.id, text: one.text, kind: "message" },
			who: `${nameOf(one.senderId)} to ${nameOf(one.recipientId)}`,
			isBot: one.senderId === bot.id,
		})),
	]
		.sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? 1 : -1))
		.slice(0, 200);
	const people = timeline
		.accounts()
		.filter(({ id }) => id !== bot.id)
		.map(({ username }) => `<option>${safe(username)}</option>`);
	return `<!doctype html><html lang="en"><meta charset="utf-8"><title>X, in the sandbox</title>
<meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="5">
<style>body{font:16px/1.4 system-ui;max-width:42rem;margin:2rem auto;padding:0 1rem}
article{border:1px solid #8884;border-radius:.5rem;padding:.6rem;margin:.5rem 0}
article.bot{border-left:.3rem solid #1a7f5a}article.message{background:#8881}
form{display:flex;gap:.4rem;flex-wrap:wrap}input[name=text]{flex:1;min-width:14rem}</style>
<h1>X, in the sandbox</h1>
<form method="post" action="/_sandbox/say">
<label>As <select name="by">${people.join("")}</select></label>
<input name="text" aria-label="Text" value="@${safe(bot.username)} floor kiln-folk" required>
<button name="via" value="post">Post</button> <button name="via" value="dm">Message</button></form>
${rows
	.map(
		({ who, text, kind, isBot }) =>
			`<article class="${kind}${isBot ? " bot" : ""}"><b>${safe(who)}</b> <small>${kind}</small><br>${linked(text)}</article>`,
	)
	.join("\n")}`;
}

function safe(text: string): string {
	return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Makes links clickable; the service sends some. */
function linked(text: string): string {
	return safe(text).replace(/https?:\/\/[^\s&]+/g, (url) => `<a href="${url}">${url}</a>`);
}
