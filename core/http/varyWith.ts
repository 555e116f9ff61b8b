/** The text of a `vary` header with one more header's name in it, where it is not yet. */
export function varyWith(existing: string | null | undefined, name: string): string {
	if (!existing) return name;
	const isThere = existing === "*" || namesOf(existing).includes(name.toLowerCase());
	return isThere ? existing : `${existing}, ${name}`;
}

function namesOf(vary: string): string[] {
	return vary.toLowerCase().split(/,\s*/);
}
