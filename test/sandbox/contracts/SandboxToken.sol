// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// An ERC-20 whose issuer can make it misbehave: a fee on transfers, a pause, blocked people, balances that change by themselves.
contract SandboxToken {
	uint256 private constant ONE = 1e18;
	uint256 private constant BPS = 10_000;

	string public name;
	string public symbol;
	uint8 public immutable decimals;
	address public immutable issuer;
	address public immutable maker;

	uint256 public feeBps;
	bool public paused;
	mapping(address => bool) public isBlocked;
	/// What one unit kept here is worth to balanceOf: 1e18 unless the token was rebased.
	uint256 public index = ONE;
	uint256 private supply;
	mapping(address => uint256) private kept;
	mapping(address => mapping(address => uint256)) public allowance;

	event Transfer(address indexed from, address indexed to, uint256 value);
	event Approval(address indexed owner, address indexed spender, uint256 value);
	event Paused(bool paused);
	event Blocked(address indexed account, bool isBlocked);

	error NotIssuer();
	error EnforcedPause();
	error BlockedAccount(address account);
	error InsufficientBalance(address account, uint256 balance, uint256 needed);
	error InsufficientAllowance(address spender, uint256 allowance, uint256 needed);

	modifier onlyIssuer() {
		if (msg.sender != issuer && msg.sender != maker) revert NotIssuer();
		_;
	}

	constructor(string memory name_, string memory symbol_, uint8 decimals_, address issuer_, address maker_) {
		(name, symbol, decimals, issuer, maker) = (name_, symbol_, decimals_, issuer_, maker_);
	}

	function totalSupply() public view returns (uint256) {
		return (supply * index) / ONE;
	}

	function balanceOf(address account) public view returns (uint256) {
		return (kept[account] * index) / ONE;
	}

	function approve(address spender, uint256 value) external returns (bool) {
		allowance[msg.sender][spender] = value;
		emit Approval(msg.sender, spender, value);
		return true;
	}

	function transfer(address to, uint256 value) external returns (bool) {
		move(msg.sender, to, value);
		return true;
	}

	function transferFrom(address from, address to, uint256 value) external returns (bool) {
		uint256 allowed = allowance[from][msg.sender];
		if (allowed < value) revert InsufficientAllowance(msg.sender, allowed, value);
		if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
		move(from, to, value);
		return true;
	}

	function mint(address to, uint256 value) external onlyIssuer {
		uint256 units = (value * ONE) / index;
		kept[to] += units;
		supply += units;
		emit Transfer(address(0), to, value);
	}

	function setFee(uint256 bps) external onlyIssuer {
		feeBps = bps;
	}

	function setPaused(bool to) external onlyIssuer {
		paused = to;
		emit Paused(to);
	}

	function setBlocked(address account, bool to) external onlyIssuer {
		isBlocked[account] = to;
		emit Blocked(account, to);
	}

	/// Multiplies all balances without a Transfer.
	function rebase(uint256 toIndex) external onlyIssuer {
		index = toIndex;
	}

	function rename(string calldata toSymbol) external onlyIssuer {
		symbol = toSymbol;
	}

	function move(address from, address to, uint256 value) private {
		if (paused) revert EnforcedPause();
		if (isBlocked[from]) revert BlockedAccount(from);
		if (isBlocked[to]) revert BlockedAccount(to);
		uint256 balance = balanceOf(from);
		if (balance < value) revert InsufficientBalance(from, balance, value);
		uint256 units = (value * ONE) / index;
		uint256 fee = (units * feeBps) / BPS;
		kept[from] -= units;
		kept[to] += units - fee;
		uint256 feeValue = (value * feeBps) / BPS;
		emit Transfer(from, to, value - feeValue);
		if (fee > 0) {
			kept[issuer] += fee;
			emit Transfer(from, issuer, feeValue);
		}
		moved(from, to, value - feeValue);
	}

	function moved(address from, address to, uint256 value) internal virtual {}
}
