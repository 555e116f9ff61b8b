/**
 * Returns true where a text asks for what it says, in its author's own voice: it quotes nobody,
 * denies nothing, sets no condition, reports no words of others, is no question, and does not speak
 * to a machine.
 *
 * Each word of a command may stand in a text that is none: `never send …`, `he said "send …"`. A
 * model that obeys every text would still propose it, so a command that moves value is taken from a
 * plain wish only. Whoever meant it types the command itself.
 */
export function isOwnWish(text: string): boolean {
	const said = text.normalize("NFKC").toLowerCase();
	return !SIGNS.test(said) && !QUESTION.test(said) && !OTHER_VOICE.test(said);
}

/** Matches signs that quote, mark up, introduce or separate, and apostrophes outside of words. */
const SIGNS = /["“”„‟«»‹›`<>[\]{}|\\:;=*&^~\n]|(?<![\p{L}\p{N}])['‘’]|['‘’](?![\p{L}\p{N}])/u;

const QUESTION =
	/^[^\p{L}\p{N}]*(?:how|what|what's|whats|why|who|which|where|when|is|are|was|were|did|does|should)\b/u;

const OTHER_VOICE = wordsOf([
	// Denies; a limit (`no more than`) does not.
	"(?:no|not)(?! (?:more|over|above|higher))|never|dont|don['’]t|wont|won['’]t|cant|can['’]t",
	"cannot|without|neither|nor|stop|refuse|avoid|isn['’]t|wasn['’]t|didn['’]t|shouldn['’]t",
	// Sets a condition, or only imagines.
	"if|unless|until|suppose|supposed|imagine|pretend|example|hypothetically|would have",
	// Reports.
	"said|says|say|saying|told|tells|wrote|writes|asked|asks|tweeted|posted|quote|quoted|claims",
	// Speaks to a machine.
	"ignore|disregard|forget|instructions?|system|prompt|admin|administrator|developer|override",
	"decode|decrypt|base64|rot13|morse|backwards|translate|repeat|echo|approved?|authori[sz]ed?",
]);

function wordsOf(lists: readonly string[]): RegExp {
	return new RegExp(`(?<![\\p{L}\\p{N}])(?:${lists.join("|")})(?![\\p{L}\\p{N}])`, "u");
}
