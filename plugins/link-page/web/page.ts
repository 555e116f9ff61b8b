// The page at /links/:token. It shows what the link is about, and sends one answer.
import { renderOutcome, renderTransaction } from "#plugins/link-page/web/renderTransaction.ts";
import {
	type FoundWallet,
	findWallets,
	sentMemory,
	signWithWallet,
} from "#plugins/link-page/web/signWithWallet.ts";
import { dollars, linkWords, stateWords, timeLeft } from "#plugins/link-page/web/words.ts";
import type { LinkOutcome, LinkShown } from "#plugins/wallets/contract.ts";

type Outcome = { intents: LinkOutcome[] };
type Used = { intents: (LinkOutcome & { nextUrl: string | null })[] };
type Tone = "plain" | "good" | "bad";

const TICK_MS = 1_000;
const FOLLOW_EVERY_MS = 3_000;
const FOLLOW_LOOKS_MAX = 100;
/** The id of development chains: no chain with real money has it. */
const SANDBOX_CHAIN_ID = 31_337;
const INTENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** True if the service reports that it is a sandbox, whatever chain it plays (its own 4663). */
let isSandbox = false;
const token = location.pathname.split("/").pop() ?? "";
const address = `/v1/links/${encodeURIComponent(token)}`;
const wallets: FoundWallet[] = [];
/**
 * True once the wallet may have sent: only the chain decides then, and the page never offers to
 * send again.
 */
let mayBeSent = false;

async function open(): Promise<void> {
	if (INTENT_ID.test(token)) return askForLink();
	const answer = await ask<LinkShown>(address);
	if (answer.kind === "problem") {
		return answer.status === 404
			? recall()
			: headline("The link cannot be read now", `${answer.message} Reload the page to try again.`);
	}
	show(answer.body);
}

/** Asks for the link of an intent that the address names: its owner is signed in here. */
async function askForLink(): Promise<void> {
	const answer = await ask<{ url: string }>("/v1/links", { intentId: token });
	if (answer.kind === "body")
		return location.replace(new URL(answer.body.url, location.origin).href);
	if (answer.status === 401) return close("Sign in first", SIGN_IN);
	if (answer.status === 404) return close("There is nothing here for you", NOT_YOURS);
	return close("Nothing is asked of you now", answer.message);
}

const SIGN_IN =
	"A program asked for this in your name, so only you can agree to it. Sign in here, on this " +
	"address, then open this page again. Nothing was sent.";
const NOT_YOURS = "You are signed in with an account that this does not belong to.";

const GONE =
	"It was not copied whole, or is older than a day. If you have answered it already, your answer " +
	"stands. Otherwise ask for a new link: nothing was sent by this one.";

/** Shows what became of the question of a link that was used, or has run out. */
async function recall(): Promise<void> {
	const answer = await ask<Outcome>(`${address}/outcome`);
	if (answer.kind === "problem") return close("This link is no longer good", GONE);
	showOutcomes(answer.body.intents);
	return follow(answer.body.intents);
}

/** Looks again for as long as something can still change. */
async function follow(first: readonly LinkOutcome[]): Promise<void> {
	let intents = first;
	for (let look = 0; look < FOLLOW_LOOKS_MAX && !intents.every(isOver); look++) {
		await new Promise((resolve) => setTimeout(resolve, FOLLOW_EVERY_MS));
		const answer = await ask<Outcome>(`${address}/outcome`);
		if (answer.kind === "problem") continue;
		const isNews = JSON.stringify(answer.body.intents) !== JSON.stringify(intents);
		intents = answer.body.intents;
		if (isNews) showOutcomes(intents);
	}
}

function isOver({ status, errorCode, cancellation }: LinkOutcome): boolean {
	return stateWords(status, errorCode, cancellation).isOver;
}

function showOutcomes(intents: readonly LinkOutcome[]): void {
	const [first] = intents;
	const isSame = intents.every(({ status }) => status === first?.status);
	if (first && isSame) {
		const { status, errorCode, cancellation, error } = first;
		const { title, lead } = stateWords(status, errorCode, cancellation, error?.message);
		close(title, lead);
	} else {
		close("Where it stands", "Each transaction by itself:");
	}
	sandbox(intents);
	const list = part("outcomes", HTMLElement);
	const isTitled = first !== undefined && isSame;
	list.replaceChildren(...intents.map((one) => renderOutcome(one, { isTitled })));
	list.hidden = false;
}

function sandbox(shown: readonly { chain: { id: number } }[]): void {
	const isTest = isSandbox || shown.some(({ chain }) => chain.id === SANDBOX_CHAIN_ID);
	part("sandbox", HTMLElement).hidden = !isTest;
}

function show(link: LinkShown): void {
	const isBatch = link.transactions.length > 1;
	const words = linkWords(link);
	headline(words.title, words.lead);
	sandbox(link.transactions);
	const template = part("transaction", HTMLTemplateElement);
	for (const one of link.transactions) {
		part("transactions", HTMLElement).append(renderTransaction(template, one));
	}
	if (isBatch && link.total) {
		const { amount, symbol, usd } = link.total;
		const about = usd === null ? "" : `, about ${dollars(usd)}`;
		part("total", HTMLElement).textContent = `In all ${amount} ${symbol}${about}`;
		part("total", HTMLElement).hidden = false;
	}
	const button = part("act", HTMLButtonElement);
	button.textContent = words.button;
	button.onclick = () => (link.purpose === "confirm" ? confirm(link) : sign(link));
	part("question", HTMLElement).hidden = false;
	countDown(link);
	if (link.purpose !== "confirm") lookForWallets(link);
}

/** Counts the link's time down by the page's own steady clock: that of the machine may be wrong. */
function countDown(link: LinkShown): void {
	const endsAt = performance.now() + link.expiresInMs;
	const tick = () => {
		const leftMs = endsAt - performance.now();
		part("left", HTMLElement).textContent = timeLeft(leftMs);
		if (leftMs > 0) return;
		clearInterval(timer);
		// After the wallet was asked, its transaction can still be reported for some minutes.
		if (!mayBeSent && !part("act", HTMLButtonElement).disabled) {
			close("This link has run out", linkWords(link).runOut);
		}
	};
	const timer = setInterval(tick, TICK_MS);
	tick();
}

async function confirm(link: LinkShown): Promise<void> {
	busy("Sending your confirmation …");
	await answerWith({ planHash: link.planHash });
}

function lookForWallets(link: LinkShown): void {
	const already = sentMemory.find(() => localStorage, link);
	if (already !== null) {
		mayBeSent = true;
		part("act", HTMLButtonElement).textContent = "Tell us the transaction you signed";
		part("act", HTMLButtonElement).onclick = () => report(already);
		say("Your wallet has sent it already. It only has to be told.");
		return;
	}
	const button = part("act", HTMLButtonElement);
	button.disabled = true;
	say("No wallet was found in this browser. Open this link in a browser that has yours.", "bad");
	findWallets((found) => {
		wallets.splice(0, wallets.length, ...found);
		button.disabled = false;
		say("");
		const select = part("wallet", HTMLSelectElement);
		select.replaceChildren(
			...found.map(({ name }, index) => new Option(name, String(index), index === 0)),
		);
		part("choice", HTMLElement).hidden = found.length < 2;
	});
}

async function sign(link: LinkShown): Promise<void> {
	const chosen = wallets[Number(part("wallet", HTMLSelectElement).value)] ?? wallets[0];
	if (!chosen || !link.request) return;
	busy("Your wallet is asking you now …");
	const outcome = await signWithWallet(chosen.provider, link.request);
	switch (outcome.kind) {
		case "sent":
			mayBeSent = true;
			sentMemory.keep(() => localStorage, link, outcome.transactionHash);
			return report(outcome.transactionHash);
		case "wrong_account":
			return again(
				`Your wallet offers ${outcome.account ?? "no account"}. Choose ${link.request.from} there.`,
			);
		case "wrong_chain": {
			const name = link.transactions[0]?.chain.name ?? "the right network";
			return again(`Your wallet is not on ${name}. Add it or switch to it, then try again.`);
		}
		case "rejected":
			return again(linkWords(link).declined);
		default:
			mayBeSent = true;
			return again(`Your wallet failed (${outcome.detail}). ${linkWords(link).failed}`);
	}
}

async function report(transactionHash: string): Promise<void> {
	busy(`Sent as ${transactionHash}. Telling the service …`);
	await answerWith({ transactionHash });
}

async function answerWith(body: { planHash: string } | { transactionHash: string }): Promise<void> {
	const answer = await ask<Used>(address, body);
	if (answer.kind === "problem") {
		if (answer.status === 404 && "planHash" in body) {
			return recall();
		}
		if ("transactionHash" in body) {
			// The wallet has sent it, even if the link is gone: never offer to send it again.
			if (answer.status === 404) return close("Your wallet has sent it", sentLate(body));
			const button = part("act", HTMLButtonElement);
			button.textContent = "Tell us again";
			button.onclick = () => report(body.transactionHash);
		}
		return again(`${answer.message} Try again.`);
	}
	told(answer.body);
}

function sentLate({ transactionHash }: { transactionHash: string }): string {
	return (
		`As ${transactionHash}. It could not be noted here, because this link is no longer good or was ` +
		"answered already. Look at it in your wallet, and do not send it again."
	);
}

function told({ intents }: Used): Promise<void> | void {
	const next = new Set(intents.flatMap(({ nextUrl }) => nextUrl ?? []));
	const isRefused = intents.some(({ status }) => status === "rejected" || status === "failed");
	if (next.size > 0 && !isRefused) {
		const isSign = intents.some(({ status }) => status === "signature_required");
		const words = isSign ? "Now your wallet has to sign." : "Something changed: look again.";
		close("One more step", words);
		goOn([...next], isSign ? "Go on to sign" : "Look at it again");
	} else {
		showOutcomes(intents);
		return follow(intents);
	}
}

function goOn(urls: readonly string[], words: string): void {
	const list = part("next", HTMLElement);
	list.hidden = false;
	for (const [index, url] of urls.entries()) {
		const [item, link] = [document.createElement("li"), document.createElement("a")];
		link.href = url;
		link.textContent = urls.length === 1 ? words : `${words}: ${index + 1} of ${urls.length}`;
		item.append(link);
		list.append(item);
	}
}

type Answered<Body> =
	| { kind: "body"; body: Body }
	| { kind: "problem"; status: number; message: string };

async function ask<Body>(url: string, body?: object): Promise<Answered<Body>> {
	const init = body && {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify(body),
	};
	try {
		const response = await fetch(url, { ...init, cache: "no-store", credentials: "same-origin" });
		isSandbox ||= response.headers.get("x-svc-sandbox") === "true";
		const read = await response.json();
		if (response.ok) return { kind: "body", body: read };
		const message = typeof read.message === "string" ? read.message : "The service refused it.";
		return { kind: "problem", status: response.status, message };
	} catch {
		return { kind: "problem", status: 0, message: "The service cannot be reached." };
	}
}

function busy(words: string): void {
	part("act", HTMLButtonElement).disabled = true;
	say(words);
}

function again(words: string): void {
	part("act", HTMLButtonElement).disabled = false;
	say(words, "bad");
}

function close(title: string, lead: string): void {
	part("question", HTMLElement).hidden = true;
	say("");
	headline(title, lead);
}

function headline(title: string, lead: string): void {
	const heading = part("title", HTMLElement);
	heading.textContent = title;
	document.title = `${title} · Tapeline`;
	part("lead", HTMLElement).textContent = lead;
	heading.focus();
}

function say(words: string, tone: Tone = "plain"): void {
	const message = part("message", HTMLElement);
	message.textContent = words;
	message.dataset["tone"] = tone;
}

function part<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
	const found = document.getElementById(id);
	// Both come from this folder: a page without its parts shows nothing, which is safe.
	if (found instanceof kind) return found;
	return new kind();
}

// Last: nothing above may be read before it is there.
await open();
