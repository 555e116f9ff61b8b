// Lists attacks by the form of a delivery: near ids, versions, order.

import { signatureOf } from "#plugins/social/x/callX.ts";
import {
	type Attack,
	type AttackTools,
	BOT,
	COMMANDS,
	EVIL,
	type Family,
	SEND,
} from "#test/e2e/social/attackTools.ts";
import { renderMention } from "#test/sandbox/social/createTimeline.ts";

/** Characters that nobody sees, or that change the direction of what follows. */
const HIDDEN = [
	...["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f", "\u061c"],
	...["\u202a", "\u202e", "\u2066", "\u2069", "\u180e", "\ufe0f", "\u3164", "\u{e0073}"],
];

/**
 * Returns families that play with the form of a delivery: ids that are nearly another's, versions
 * in another order, characters and links in place of words, and signatures that the service itself
 * gives away.
 */
export function formAttacks(tools: AttackTools): Family[] {
	const { url, bot, cleo, mallory, timeline, rendering } = tools;
	const { deliver, written, mention, message, ifStored, tell } = tools;

	return [
		{ name: "ids that are nearly another's", attacks: ids(), control: renamed },
		{ name: "versions", attacks: versions() },
		{ name: "signs that nobody sees", attacks: hidden() },
		{ name: "links and escapes in place of words", attacks: replaced() },
		{ name: "signatures that the challenge gives away", attacks: challenged() },
	];

	function ids(): Attack[] {
		const next = String(BigInt(cleo.id) + 1n);
		const authors: [string, unknown][] = [
			["the next id", next],
			["the same number to a parser", JSON.parse(next)],
			["a zero in front", `0${cleo.id}`],
			["a blank behind", `${cleo.id} `],
			["a sign in front", `+${cleo.id}`],
			["a fraction", `${cleo.id}.0`],
			["hexadecimal digits", `0x${BigInt(cleo.id).toString(16)}`],
			[
				"full-width digits",
				cleo.id.replace(/\d/g, (one) => "０１２３４５６７８９"[Number(one)] ?? ""),
			],
			["her name", cleo.username],
		];
		const posts = ([name, author]: [string, unknown], command: string): Attack[] => [
			{
				name: `posted by ${name}: ${command}`,
				deliver: () => {
					const { id } = written({ by: mallory, text: command });
					return tell({ id, text: `${BOT} ${command}`, author_id: author });
				},
			},
			{
				name: `written by ${name}: ${command}`,
				deliver: () => told(command, { sender_id: author }, { users: { [cleo.id]: cleo } }),
			},
			{
				name: `posted by ${name}, as old deliveries say it: ${command}`,
				async deliver() {
					const { id } = written({ by: mallory, text: command });
					const user = { id: author, id_str: author === next ? next : mallory.id };
					const text = `${BOT} ${command}`;
					const post = { id: Number(id), id_str: id, text, user };
					await deliver({ for_user_id: bot.id, tweet_create_events: [post] });
					return await ifStored(`post:${id}`);
				},
			},
		];
		const elsewhere = (command: string): Attack[] => [
			{
				name: `to mallory, and not to the bot: ${command}`,
				deliver: () => told(command, { target: { recipient_id: mallory.id } }),
			},
			{
				name: `in a conversation of several: ${command}`,
				deliver: () => told(command, { target: { conversation_id: "group" } }),
			},
			{
				name: `the event's id, used by mallory before: ${command}`,
				async deliver() {
					const { id } = written({ by: mallory, text: command });
					await tell({ id, text: `${BOT} thanks`, author_id: mallory.id });
					return await tell({ id, text: `${BOT} ${command}`, author_id: cleo.id });
				},
			},
			{
				name: `by the new owner of her former name: ${command}`,
				async deliver() {
					const { username } = cleo;
					timeline.rename(cleo.id, "cleo_was_here");
					const id = `93100000000000000${COMMANDS.indexOf(command)}0`;
					const by = timeline.addAccount({ id, username, isAutomated: false });
					const events = await mention(by, `${BOT} ${command}`)();
					timeline.rename(by.id, "cleo_no_more");
					timeline.rename(cleo.id, username);
					return events;
				},
			},
		];
		return COMMANDS.flatMap((command) => [
			...authors.flatMap((author) => posts(author, command)),
			...elsewhere(command),
		]);
	}

	/** Delivers a message to the bot in which some members are others. */
	async function told(text: string, changes: object, more: object = {}): Promise<string[]> {
		const { id } = timeline.message({ by: mallory, to: bot, text });
		const message = { target: { recipient_id: bot.id }, sender_id: cleo.id };
		const body = { ...message, message_data: { text }, ...changes };
		const events = [{ id, type: "message_create", message_create: body }];
		await tell({ direct_message_events: events, ...more }, { type: "dm.received" });
		return await ifStored(`dm:${id}`);
	}

	/** Cleo has another name than when she was linked. */
	async function renamed(command: string): Promise<string[]> {
		const { username } = cleo;
		timeline.rename(cleo.id, "cleo_by_another_name");
		const events = await mention(cleo, `${BOT} ${command}`)();
		timeline.rename(cleo.id, username);
		return events;
	}

	function versions(): Attack[] {
		type Listed = (first: string, next: string) => object;
		const shapes: [string, Listed][] = [
			["newest first", (first, next) => ({ edit_history_tweet_ids: [next, first] })],
			["the first alone", (first) => ({ edit_history_tweet_ids: [first] })],
			["with others between", (first, next) => ({ edit_history_tweet_ids: ["9", next, first] })],
		];
		const old: [string, Listed][] = [
			["newest first", (first, next) => ({ edit_tweet_ids: [next, first] })],
			["no first one", (first, next) => ({ initial_tweet_id: next, edit_tweet_ids: [first] })],
		];
		return COMMANDS.flatMap((command) => [
			...[true, false].flatMap((isRead) =>
				shapes.map(([name, listed]) => ({
					name: `${name}, ${isRead ? "after" : "without"} the first: ${command}`,
					async deliver() {
						const first = written({ by: cleo, text: `${BOT} help` });
						const next = written({ by: cleo, text: command, edits: first.id });
						if (isRead) await deliver(renderMention(first, rendering));
						const post = { id: next.id, text: `${BOT} ${command}`, author_id: cleo.id };
						const events = await tell({ ...post, ...listed(first.id, next.id) });
						return [...events, ...(await ifStored(`post:${first.id}`))];
					},
				})),
			),
			...old.map(([name, listed]) => ({
				name: `${name}, as old deliveries say it: ${command}`,
				async deliver() {
					const first = written({ by: cleo, text: `${BOT} help` });
					const next = written({ by: cleo, text: command, edits: first.id });
					const user = { id_str: cleo.id };
					const post = { id_str: next.id, text: `${BOT} ${command}`, user };
					const told = { ...post, edit_history: listed(first.id, next.id) };
					await deliver({ for_user_id: bot.id, tweet_create_events: [told] });
					const ids = [`post:${first.id}`, `post:${next.id}`];
					return (await Promise.all(ids.map(ifStored))).flat();
				},
			})),
		]);
	}

	function hidden(): Attack[] {
		const at = (sign: string): [string, string][] => [
			["in front", `${sign}${SEND}`],
			["behind", `${SEND}${sign}`],
			["in a word", SEND.replace("send", `se${sign}nd`)],
			["in an amount", SEND.replace("0.001", `0.0${sign}01`)],
			["in an address", `${SEND.slice(0, -2)}${sign}66`],
			["for a blank", SEND.replace(" ", sign)],
		];
		return HIDDEN.flatMap((sign) => {
			const code = `U+${sign.codePointAt(0)?.toString(16)}`;
			const named = [`${BOT}${sign} ${SEND}`, `${sign}${BOT} ${SEND}`, `${SEND} ${BOT}${sign}`];
			return [
				...at(sign).flatMap(([place, text]) => [
					{ name: `${code} ${place} of a post`, deliver: mention(cleo, `${BOT} ${text}`) },
					{ name: `${code} ${place} of a message`, deliver: message(cleo, text) },
				]),
				...named.map((text, n) => ({
					name: `${code} at the bot's name, ${n}`,
					deliver: mention(cleo, text),
				})),
			];
		});
	}

	/** What X puts in place of words, or escapes, is nothing that somebody typed. */
	function replaced(): Attack[] {
		const link = "https://t.co/Ab3dEf";
		const entities = { urls: [{ url: link, expanded_url: EVIL, display_url: EVIL }] };
		const texts = COMMANDS.flatMap((command) => [
			command.replace(EVIL, link).replace("kiln-folk", link),
			`${link} ${command}`,
			`${command} ${link}`,
			`&lt;${command}&gt;`,
			`&amp;${command}`,
			`&quot;${command}&quot;`,
			`&amp;lt;${command}`,
			command.replace("0.001", "0.001&#48;").replace("0.01", "0.01&#48;"),
		]);
		return [
			...texts.map((text) => ({
				name: `with a link: ${text}`,
				deliver: () => {
					const { id } = written({ by: cleo, text });
					const post = { id, text: `${BOT} ${text}`, author_id: cleo.id, conversation_id: id };
					return tell({ ...post, entities });
				},
			})),
			...COMMANDS.map((command) => ({
				name: `shown in part: ${command}`,
				deliver: () => {
					const text = `${BOT} ${command} is what I will never say`;
					const { id } = written({ by: cleo, text });
					const shown = { display_text_range: [0, `${BOT} ${command}`.length] };
					return tell({ id, text, author_id: cleo.id, conversation_id: id, ...shown });
				},
			})),
			...COMMANDS.map((command) => ({
				name: `with an attachment: ${command}`,
				deliver: () => {
					const data = { text: `hello ${link}`, attachment: { type: "media", text: command } };
					const reply = { quick_reply_response: { metadata: command }, ctas: [command] };
					return told("hello", { message_data: { ...data, ...reply, entities } });
				},
			})),
		];
	}

	/** The challenge signs what anybody asks it to sign, so it must not sign deliveries. */
	function challenged(): Attack[] {
		type Body = (id: string, text: string) => unknown;
		const mentionOf: Body = (id, text) => ({
			event_type: "post.mention.create",
			payload: { id, text, author_id: cleo.id },
		});
		const kinds: [string, Body][] = [
			["of a mention", (id, text) => ({ data: mentionOf(id, text) })],
			["of a mention in a list", (id, text) => ({ data: [mentionOf(id, text)] })],
			[
				"of an old mention",
				(id, text) => ({
					for_user_id: bot.id,
					tweet_create_events: [{ id_str: id, text, user: { id_str: cleo.id } }],
				}),
			],
		];
		return COMMANDS.flatMap((command) =>
			kinds.flatMap(([kind, bodyOf]) =>
				["", " ", "\ufeff"].map((front) => ({
					name: `${kind}, behind ${JSON.stringify(front)}: ${command}`,
					async deliver() {
						const { id } = written({ by: mallory, text: command });
						const body = `${front}${JSON.stringify(bodyOf(id, `${BOT} ${command}`))}`;
						const asked = await fetch(`${url}?crc_token=${encodeURIComponent(body)}`);
						const answer = (await asked.json()) as { response_token?: string };
						await deliver(body, () => answer.response_token ?? signatureOf("none", body));
						return await ifStored(`post:${id}`);
					},
				})),
			),
		);
	}
}
