// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A token that anybody mints and everybody can make misbehave.
contract OddToken {
	enum Mode {
		Honest,
		/// Keeps a thirtieth of each transfer.
		Fee,
		/// Says no, and moves nothing.
		False,
		/// Moves, and answers nothing at all.
		Silent,
		/// Says yes, and moves nothing.
		Idle,
		/// Takes one unit more from who sends.
		Greedy,
		/// Calls `target` in the middle of a transfer.
		Reentrant,
		/// Claims to have burned, and burns half of it.
		HalfBurning,
		/// Burns one unit more than it was told to.
		OverBurning
	}

	Mode public mode;
	address public target;
	bytes public data;
	/// The call in the middle of a transfer was made, and held.
	bool public wasLet;
	uint256 public calls;
	uint256 public totalSupply;
	mapping(address account => uint256) public balanceOf;
	mapping(address account => mapping(address spender => uint256)) public allowance;

	event Transfer(address indexed from, address indexed to, uint256 value);

	error Missing();

	function setMode(Mode to) external {
		mode = to;
	}

	function aim(address target_, bytes calldata data_) external {
		(target, data, wasLet, calls) = (target_, data_, false, 0);
	}

	function mint(address to, uint256 value) external {
		balanceOf[to] += value;
		totalSupply += value;
	}

	function approve(address spender, uint256 value) external returns (bool) {
		allowance[msg.sender][spender] = value;
		return true;
	}

	function transfer(address to, uint256 value) external returns (bool) {
		return move(msg.sender, to, value);
	}

	function transferFrom(address from, address to, uint256 value) external returns (bool) {
		if (allowance[from][msg.sender] < value) revert Missing();
		allowance[from][msg.sender] -= value;
		return move(from, to, value);
	}

	function burn(uint256 value) external {
		if (mode == Mode.HalfBurning) value /= 2;
		if (mode == Mode.OverBurning) value += 1;
		if (balanceOf[msg.sender] < value) {
			// One more than there is: it comes from the supply alone.
			totalSupply -= value;
			balanceOf[msg.sender] = 0;
			return;
		}
		balanceOf[msg.sender] -= value;
		totalSupply -= value;
	}

	function move(address from, address to, uint256 value) private returns (bool) {
		if (mode == Mode.False) return false;
		if (mode == Mode.Idle) return true;
		if (mode == Mode.Reentrant && target != address(0)) {
			calls += 1;
			(wasLet, ) = target.call(data);
		}
		uint256 taken = mode == Mode.Greedy ? value + 1 : value;
		if (balanceOf[from] < taken) revert Missing();
		balanceOf[from] -= taken;
		uint256 given = mode == Mode.Fee ? value - value / 30 : value;
		balanceOf[to] += given;
		totalSupply -= taken - given;
		emit Transfer(from, to, given);
		if (mode == Mode.Silent) {
			assembly {
				return(0, 0)
			}
		}
		return true;
	}
}
