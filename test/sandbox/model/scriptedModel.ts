const ADDRESS = "0x[0-9a-fA-F]{40}";
const AMOUNT = "\\d+(?:\\.\\d+)?";
const NAME = "(?:the |an? |one |some |any )*(?<name>[\\p{L}\\p{N}][\\p{L}\\p{N}' -]{0,60}?)";
/** Words after a name that are no part of it. */
const END =
	"(?:'s)?(?:\\s+(?:right now|now|today|these days|lately|currently|please|pls|going for|worth|cost|at|nft|nfts|traded|trading|sell for|go for))*\\s*[?!.]*$";

type Rule = readonly [pattern: string, command: (found: Record<string, string>) => string];

/** Questions about the market come first: a question about a price must not send anything. */
const RULES: readonly Rule[] = [
	["what(?:'s| is) (?:hot|popular|pumping|moving|everyone buying)", () => "trending"],
	["anything (?:hot|moving|pumping)", () => "trending"],
	[`(?:cheapest|lowest) (?:price )?(?:of |for |in )?${NAME}${END}`, ({ name }) => `floor ${name}`],
	[`what (?:do|does|would|is|are) ${NAME} (?:cost|go for|going for|worth)${END}`, floorOf],
	[`how much (?:is|are|for|do|does) ${NAME}${END}`, floorOf],
	[`how much (?:of )?${NAME} (?:was|is|got|has been) traded${END}`, ({ name }) => `volume ${name}`],
	[`who (?:holds|owns|has) (?:the most )?${NAME}${END}`, ({ name }) => `holders ${name}`],
	[
		`(?:give|transfer|move|wire|pay|get|shoot)\\b.*?(?<amount>${AMOUNT})\\s*eth\\b.*?(?<to>${ADDRESS})`,
		({ amount, to }) => `send ${amount} eth to ${to}`,
	],
	[
		`(?<to>${ADDRESS}).*?(?<amount>${AMOUNT})\\s*eth\\b`,
		({ amount, to }) => `send ${amount} eth to ${to}`,
	],
];

const COMPILED = RULES.map(([pattern, write]) => ({ pattern: new RegExp(pattern, "iu"), write }));

/**
 * Reads free text as a well-behaved language model would that knows a few phrases; returns the
 * command, or null. The same text always gives the same answer.
 */
export function scriptedModel(text: string): string | null {
	for (const { pattern, write } of COMPILED) {
		const found = pattern.exec(text.trim());
		if (found) return write(found.groups ?? {});
	}
	return null;
}

function floorOf({ name }: Record<string, string>): string {
	return `floor ${name}`;
}
