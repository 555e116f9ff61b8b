import type { Words } from "#agent/grammar/splitWords.ts";

/**
 * Returns true for an order, or a wish to be told later, in words that questions have as well: `get
 * me one`, `then buy it`, `tell me when it moves`.
 */
export function hasOrder({ low }: Words): boolean {
	const text = ` ${low.join(" ")} `;
	return PHRASES.some((phrase) => text.includes(phrase)) || PATTERNS.some((one) => one.test(text));
}

const PHRASES = (
	"get me one|get me some|get us one|get us some|go long|going long|go short|going short|a long on|" +
	"a short on|go all in|going all in|market order|limit order|buy order|sell order|close all|" +
	"purchase one|purchase some|purchase it|purchase a|i'd like one|would like one|do it where|do it at"
)
	.split("|")
	.map((phrase) => ` ${phrase} `);

const MOVING =
	"(?:buy|sell|send|swap|bridge|snipe|sweep|mint|bid|list|transfer|ape|grab|cop|purchase)";
const SOMEBODY = "(?:me|us|my [a-z]+|him|her|them)";
const PATTERNS = [
	new RegExp(
		`^ (?:(?:ok|and|then|please|pls|now|just|also) )*${MOVING} (?:one|it|some|${SOMEBODY}) `,
	),
	new RegExp(` (?:and|then|please|pls|ahead and) ${MOVING} (?:one|it|some) `),
	new RegExp(` you (?:can|may|should|must) ${MOVING} (?:one|it|some) `),
	new RegExp(` (?:want|need|ask|like) you to ${MOVING} `),
	new RegExp(` (?:get|give|${MOVING}) my [a-z]+ (?:a|an|one|some|\\d+) `),
	/ (?:open|opening|close) (?:[a-z$]+ ){1,3}(?:long|short) /,
	/ (?:tell|ping|text|dm|notify|message|let) (?:me|us)(?: know)? (?:when|once|if) (?:it|they|that|this|the price|the floor) /,
	/ (?:when|once) (?:it|they) (?:changes?|moves?|drops?|hits?|dumps?|pumps?|dips?|falls?|rises?) /,
];
