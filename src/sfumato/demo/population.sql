-- A generated, census-like population: no one in it is real. It has the columns and category
-- names of the UCI Adult census extract, and roughly its proportions.
--
--   $rows   how many people
--   $seed   which people: the same seed gives the same rows, in the same order
--
-- Each person throws a 10,000-sided die for every column, and each category is a ticket drawn
-- by that die from an urn of 10,000. People are never joined or sorted, so rows stream out at
-- any size.
WITH

-- What goes into the urns. A number is a share of its own column of numbers; a column is one
-- crowd, such as an age group, named in the comment above it.
codebook(topic, shares) AS (VALUES
    ('race', MAP {
        'White': [854], 'Black': [96], 'Asian-Pac-Islander': [32],
        'Amer-Indian-Eskimo': [10], 'Other': [8]}),

    ('native_country', MAP {
        -- by race, each: [White or Amer-Indian, Black, Asian, Other]
        'United-States':      [9212, 9060, 2810, 4760], '?':           [140, 300,  800,  660],
        'Cambodia':           [   0,    3,  170,    0], 'Canada':      [ 43,   2,   10,   40],
        'China':              [   1,    0,  700,    0], 'Columbia':    [ 18,   0,    0,  260],
        'Cuba':               [  32,   10,    0,   70], 'Ecuador':     [  7,   0,    0,  330],
        'Dominican-Republic': [  14,   38,   10,  660], 'El-Salvador': [ 36,   3,    0,  150],
        'England':            [  29,   26,   10,    0], 'France':      [ 10,   3,    0,    0],
        'Germany':            [  45,   26,   29,   40], 'Greece':      [ 10,   0,   10,    0],
        'Guatemala':          [  22,    0,    0,  150], 'Haiti':       [  0, 138,   10,    0],
        'Holand-Netherlands': [   2,    0,    0,    0], 'Honduras':    [  4,   3,    0,   40],
        'Hong':               [   1,    0,  160,    0], 'Hungary':     [  5,   0,    0,    0],
        'India':              [   3,    6,  820,  190], 'Iran':        [ 13,   0,   60,   70],
        'Ireland':            [   8,    0,   10,    0], 'Italy':       [ 26,   0,    0,    0],
        'Jamaica':            [   2,  240,    0,   40], 'Japan':       [  7,  10,  370,   70],
        'Laos':               [   0,    0,  170,    0], 'Mexico':      [212,  13,   10, 1480],
        'Nicaragua':          [  10,    6,    0,  150], 'Peru':        [ 11,   0,    0,   40],
        'Philippines':        [   3,    3, 1810,    0], 'Poland':      [ 21,   0,   10,    0],
        'Portugal':           [  13,    0,   10,    0], 'Puerto-Rico': [ 29,  29,   10,  780],
        'Scotland':           [   4,    0,    0,    0], 'South':       [  1,   0,  740,    0],
        'Taiwan':             [   1,    0,  460,   40], 'Thailand':    [  1,   0,  150,    0],
        'Trinadad&Tobago':    [   0,   51,   19,   40], 'Vietnam':     [  1,   0,  630,    0],
        'Yugoslavia':         [   6,    0,    0,    0],
        'Outlying-US(Guam-USVI-etc)': [3, 20, 10, 10]}),

    -- In the order of education_num, from 1 to 16.
    ('education', MAP {
        -- by age, each: [17-19, 20-24, 25-90]
        'Preschool':  [  1,   2,   2], '1st-4th':      [  2,   3,   6],
        '5th-6th':    [  4,  10,  11], '7th-8th':      [ 10,  10,  22],
        '9th':        [ 24,  13,  16], '10th':         [116,  20,  25],
        '11th':       [236,  29,  25], '12th':         [ 76,  15,   9],
        'HS-grad':    [258, 305, 329], 'Some-college': [270, 401, 195],
        'Assoc-voc':  [  2,  34,  46], 'Assoc-acdm':   [  1,  33,  35],
        'Bachelors':  [  0, 120, 180], 'Masters':      [  0,   5,  63],
        'Prof-school': [ 0,   0,  21], 'Doctorate':    [  0,   0,  15]}),

    ('marital_status', MAP {
        -- by age               17-24  25-34  35-44  45-59  60-90
        'Never-married':         [877,   428,   168,    81,    57],
        'Married-civ-spouse':    [ 85,   412,   566,   619,   604],
        'Married-spouse-absent': [  6,    14,    14,    16,    11],
        'Married-AF-spouse':     [  1,     2,     1,     1,     1],
        'Separated':             [ 13,    36,    43,    33,    17],
        'Divorced':              [ 17,   104,   196,   203,   117],
        'Widowed':               [  1,     4,    12,    47,   193]}),

    -- As in Adult, there are far more husbands than wives.
    ('sex', MAP {
        --       single  married  widowed  apart
        'Male':   [  55,      88,      17,    42],
        'Female': [  45,      12,      83,    58]}),

    -- For those who are neither 'Husband' nor 'Wife'.
    ('relationship', MAP {
        --         single: 17-24  25-90  once married
        'Not-in-family':   [  25,    60,           51],
        'Own-child':       [  65,    23,            8],
        'Unmarried':       [   4,    12,           36],
        'Other-relative':  [   6,     5,            5]}),

    ('workclass', MAP {
        -- by age          17-24  25-61: no degree  degree  62-90
        'Private':          [790,              732,    606,   442],
        'Self-emp-not-inc': [ 19,               84,     88,   148],
        'Self-emp-inc':     [  7,               30,     58,    62],
        'Federal-gov':      [ 10,               31,     43,    23],
        'Local-gov':        [ 26,               56,    114,    65],
        'State-gov':        [ 32,               31,     70,    31],
        'Without-pay':      [  1,                1,      0,     4],
        'Never-worked':     [  2,                1,      0,     0],
        '?':                [113,               34,     21,   225]}),

    ('occupation', MAP {
        -- each: [men, women, men with a degree, women with a degree]
        'Adm-clerical':      [ 62, 291,  52, 133], 'Armed-Forces':    [  1,   0,   1,   0],
        'Craft-repair':      [238,  26,  43,   8], 'Exec-managerial': [ 91,  91, 273, 204],
        'Farming-fishing':   [ 55,   8,  16,   1], 'Prof-specialty':  [ 37,  60, 369, 470],
        'Handlers-cleaners': [ 76,  21,   9,   2], 'Protective-serv': [ 31,   8,  18,   6],
        'Machine-op-inspct': [ 91,  69,  11,   8], 'Sales':           [105, 140, 140,  84],
        'Other-service':     [ 91, 222,  20,  41], 'Tech-support':    [ 26,  34,  34,  38],
        'Priv-house-serv':   [  1,  18,   1,   3], 'Transport-moving': [94,  12,  13,   1]}),

    ('hours_per_week', MAP {
        -- each: [the young and the old, employees, the self-employed and managers]
        '5':  [ 40,   4,   4], '10': [90,  8,   8], '15': [90, 12,   8], '20': [150, 34, 18],
        '25': [ 75,  20,  12], '30': [99, 42,  28], '35': [80, 60,  36],
        '40': [300, 570, 370], '45': [30, 80, 104], '50': [28, 82, 176], '60': [12, 60, 150],
        '70': [  3,  18,  54], '80': [ 1,  7,  22], '99': [ 1,  3,  10]})
),

-- One row, in which urn.topic[crowd][die] is a ticket.
urns AS (
    FROM (
        SELECT topic, [[bag[1 + die * len(bag) // 10000] FOR die IN range(10000)]
                       FOR bag IN bags] AS bags
        FROM (
            SELECT topic, [flatten([repeat([value], shares[value][crowd])
                                    FOR value IN map_keys(shares)])
                           FOR crowd IN range(1, 1 + len(map_values(shares)[1]))] AS bags
            FROM codebook))
    PIVOT (first(bags) FOR topic IN (
        'race', 'native_country', 'education', 'marital_status', 'sex', 'relationship',
        'workclass', 'occupation', 'hours_per_week'))
),

-- DuckDB's hash of several values ends in an exclusive or, which leaves one person's hashes
-- plainly related from column to column; hashed once more, the dice are independent.
dice AS (
    SELECT (1 + hash(hash(person, $seed::BIGINT, COLUMNS(salt.*))) % 10000)::INTEGER
    FROM range($rows::BIGINT) AS people(person),
        (VALUES (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)) AS salt(
            age, race, native_country, education, marital_status, sex, relationship, workclass,
            occupation, hours_per_week, income, capital_gain, capital_loss, fnlwgt, detail)
),

-- A life in steps: each adds the columns that hang on the ones before.
born AS (
    SELECT die, urn,
        -- As in the census, everyone older than 90 is written down as 90.
        least(90, floor(17 + 25 * pow(-ln(die.age / 10001), 0.62)))::INTEGER AS age,
        urn.race[1][die.race] AS race
    FROM dice AS die, urns AS urn
),
grown AS (
    SELECT *,
        urn.native_country[CASE race WHEN 'Black' THEN 2 WHEN 'Asian-Pac-Islander' THEN 3
            WHEN 'Other' THEN 4 ELSE 1 END][die.native_country] AS native_country,
        urn.education[CASE WHEN age < 20 THEN 1 WHEN age < 25 THEN 2
            ELSE 3 END][die.education] AS education,
        list_position((SELECT map_keys(shares) FROM codebook WHERE topic = 'education'),
            education) AS education_num,
        urn.marital_status[CASE WHEN age < 25 THEN 1 WHEN age < 35 THEN 2 WHEN age < 45 THEN 3
            WHEN age < 60 THEN 4 ELSE 5 END][die.marital_status] AS marital_status,
        marital_status = 'Never-married' AS single,
        marital_status IN ('Married-civ-spouse', 'Married-AF-spouse') AS married
    FROM born
),
settled AS (
    SELECT *,
        education_num >= 13 AS degree,
        urn.sex[CASE WHEN single THEN 1 WHEN married THEN 2 WHEN marital_status = 'Widowed' THEN 3
            ELSE 4 END][die.sex] AS sex,
        urn.relationship[CASE WHEN NOT single THEN 3 WHEN age < 25 THEN 1
            ELSE 2 END][die.relationship] AS kin,
        CASE WHEN NOT married THEN kin WHEN sex = 'Male' THEN 'Husband' ELSE 'Wife' END
            AS relationship
    FROM grown
),
employed AS (
    SELECT *,
        urn.occupation[CASE WHEN degree THEN 3 ELSE 1 END + (sex = 'Female')::INTEGER]
            [die.occupation] AS trade,
        urn.workclass[CASE WHEN age < 25 THEN 1 WHEN age > 61 THEN 4 WHEN degree THEN 3
            ELSE 2 END][die.workclass] AS employer,
        CASE WHEN trade = 'Armed-Forces' THEN 'Federal-gov' ELSE employer END AS workclass,
        CASE WHEN workclass IN ('?', 'Never-worked') THEN '?' ELSE trade END AS occupation
    FROM settled
),
busy AS (
    SELECT *,
        urn.hours_per_week[CASE WHEN age < 22 OR age > 64 OR occupation = '?' THEN 1
            WHEN workclass LIKE 'Self-emp%' OR occupation = 'Exec-managerial' THEN 3
            ELSE 2 END][die.hours_per_week]::INTEGER AS usual,
        -- One person in eight does not give a round number.
        least(99, usual + if(die.detail % 8 = 0, die.detail % 9 - 4, 0)) AS hours_per_week
    FROM employed
),
paid AS (
    SELECT *,
        0.37 * (education_num - 9) + 2.6 * married::INTEGER + 0.03 * (hours_per_week - 40)
            - 0.0023 * pow(age - 50, 2) - 2.7 AS prospects,
        die.income / 10001 < 1 / (1 + exp(-prospects)) AS rich,
        -- Adult's famous outliers: 99999 is what the census writes for any larger gain.
        CASE WHEN rich AND die.capital_gain <= 200 THEN 99999
            WHEN rich AND die.capital_gain <= 2100
                THEN 4700 + (37000 * pow((2100 - die.capital_gain) / 1900, 4))::INTEGER
            WHEN NOT rich AND die.capital_gain <= 420 THEN 114 + 14 * die.capital_gain
            ELSE 0 END AS capital_gain,
        CASE WHEN capital_gain > 0 THEN 0
            WHEN rich AND die.capital_loss <= 1250 THEN 1500 + die.capital_loss // 2
            WHEN NOT rich AND die.capital_loss <= 320 THEN 1200 + 4 * die.capital_loss
            ELSE 0 END AS capital_loss
    FROM busy
)
SELECT
    age, workclass,
    -- Two dice, for a survey weight has more values than one die has sides.
    (12000 + 190000 * pow(-ln((die.fnlwgt - die.detail / 10001) / 10000), 0.6))::INTEGER AS fnlwgt,
    education, education_num, marital_status, occupation, relationship, race, sex,
    capital_gain, capital_loss, hours_per_week, native_country,
    if(rich, '>50K', '<=50K') AS income
FROM paid
