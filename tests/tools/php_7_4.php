<?php
// Uses the tokenizer of a newer PHP to find code that PHP 7.4 does not support. The script prints a message for
// each use of an unsupported feature, and fails if it has printed a message. Functions that WordPress 6.1 defines
// in wp-includes/compat.php are allowed.
//
// Usage: php_7_4.php FILE...

const NEW_TOKENS = array(
	T_MATCH                    => 'match',
	T_ENUM                     => 'enum',
	T_READONLY                 => 'readonly',
	T_NULLSAFE_OBJECT_OPERATOR => '?->',
	T_ATTRIBUTE                => 'an attribute',
);

const NEW_FUNCTIONS = array(
	'array_all',
	'array_any',
	'array_find',
	'array_find_key',
	'array_is_list',
	'enum_exists',
	'fdatasync',
	'fdiv',
	'fsync',
	'get_debug_type',
	'get_resource_id',
	'ini_parse_quantity',
	'json_validate',
	'mb_lcfirst',
	'mb_ltrim',
	'mb_rtrim',
	'mb_str_pad',
	'mb_trim',
	'mb_ucfirst',
	'memory_reset_peak_usage',
	'preg_last_error_msg',
	'str_decrement',
	'str_increment',
);

// These regular expressions match sequences of tokens. NAME matches any word. TYPE also matches keywords for types.
const NEW_PHRASES = array(
	'a named argument'                         => '/[(,] NAME : /',
	'a union of types'                         => '/TYPE \| TYPE (\| TYPE )*(VAR|{)/',
	'an intersection of types'                 => '/NAME & NAME (VAR|{)/',
	'a property in the constructor'            => '/[(,] (public|protected|private) /',
	'throw as an expression'                   => '/(=|\?\?|\?|:|&&|\|\||=>|return) throw /',
	'catch without a variable'                 => '/catch \( NAME (\| NAME )*\)/',
	'a comma after the last parameter'         => '/function (& )?(NAME )?\( (?:[^()]|\([^()]*\))*, \)/',
	'the type mixed'                           => '/(\) : |[(,] )mixed /',
	'the return type static, never or false'   => '/function (& )?(NAME )?\( (?:[^()]|\([^()]*\))*\) (use \( [^()]*\) )?: (static|never|false|null|true) /',
	'a callable made of a call'                => '/\( \.\.\. \)/',
	'::class of an object'                     => '/VAR :: class/',
	'new as a default'                         => '/function (& )?(NAME )?\( [^()]*= new /',
	'a constant with a type'                   => '/const NAME NAME =/',
	'a final constant'                         => '/final (public |protected |private )?const /',
);

function phrase_of( $token ) {
	if ( T_VARIABLE === $token->id ) {
		return 'VAR';
	}
	if ( in_array( strtolower( $token->text ), array( 'mixed', 'static', 'never', 'false', 'null', 'true', 'class' ), true ) ) {
		return strtolower( $token->text );
	}
	$names = array( T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED );
	return in_array( $token->id, $names, true ) ? 'NAME' : strtolower( $token->text );
}

function report( $file, $line, $what ) {
	echo "$file:$line: $what is not in PHP 7.4\n";
	return 1;
}

function check( $file ) {
	$ignored = array( T_WHITESPACE, T_COMMENT, T_DOC_COMMENT, T_CONSTANT_ENCAPSED_STRING, T_ENCAPSED_AND_WHITESPACE, T_INLINE_HTML );
	$found   = 0;
	$words   = '';
	$lines   = array();
	foreach ( PhpToken::tokenize( file_get_contents( $file ) ) as $token ) {
		if ( in_array( $token->id, $ignored, true ) ) {
			continue;
		}
		if ( isset( NEW_TOKENS[ $token->id ] ) ) {
			$found += report( $file, $token->line, NEW_TOKENS[ $token->id ] );
		}
		if ( in_array( strtolower( ltrim( $token->text, '\\' ) ), NEW_FUNCTIONS, true ) ) {
			$found += report( $file, $token->line, $token->text );
		}
		$lines[ strlen( $words ) ] = $token->line;

		$words .= phrase_of( $token ) . ' ';
	}
	foreach ( NEW_PHRASES as $what => $phrase ) {
		$phrase = str_replace( 'TYPE', '(?:NAME|array|callable|static|false|null|true|mixed)', $phrase );
		preg_match_all( $phrase, $words, $places, PREG_OFFSET_CAPTURE );
		foreach ( $places[0] as list( , $offset ) ) {
			$found += report( $file, $lines[ $offset ] ?? '?', $what );
		}
	}
	return $found;
}

$found = array_sum( array_map( 'check', array_slice( $argv, 1 ) ) );
exit( $found > 0 ? 1 : 0 );
